"""Which question an address is: the APIs' own paths, below any prefix that a base URL may have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from bylaw.testing.script import API

Question = Literal["answer", "count", "models", "model"]


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """`model` is the one that stands in the address; `streamed` is None where the body says it."""

    api: API
    question: Question
    model: str = ""
    streamed: bool | None = None


_GEMINI = r".*/models/(?P<model>[^/:]+):"
_POSTS: tuple[tuple[re.Pattern[str], Route], ...] = (
    (
        re.compile(r"(?:.*/deployments/(?P<model>[^/]+)|.*)/chat/completions"),
        Route(api="openai_chat", question="answer"),
    ),
    (re.compile(r".*/responses"), Route(api="openai_responses", question="answer")),
    (re.compile(r".*/messages"), Route(api="anthropic_messages", question="answer")),
    (re.compile(r".*/messages/count_tokens"), Route(api="anthropic_messages", question="count")),
    (re.compile(_GEMINI + "generateContent"), Route(api="gemini", question="answer", streamed=False)),
    (re.compile(_GEMINI + "streamGenerateContent"), Route(api="gemini", question="answer", streamed=True)),
    (re.compile(_GEMINI + "countTokens"), Route(api="gemini", question="count")),
)
_MODELS = re.compile(r".*/models(?:/(?P<model>[^/:]+))?")


def find_route(method: str, path: str, headers: Mapping[str, str]) -> Route | None:
    if method == "POST":
        for pattern, route in _POSTS:
            if found := pattern.fullmatch(path):
                return msgspec.structs.replace(route, model=found.groupdict().get("model") or "")
    elif method == "GET" and (found := _MODELS.fullmatch(path)):
        model = found["model"] or ""
        return Route(api=likely_api(path, headers), question="model" if model else "models", model=model)
    return None


def likely_api(path: str, headers: Mapping[str, str]) -> API:
    """Whose shape an answer has that belongs to no API in particular."""
    if "anthropic-version" in headers:
        return "anthropic_messages"
    if "x-goog-api-key" in headers or "/v1beta" in path:
        return "gemini"
    return "openai_responses" if path.endswith("/responses") else "openai_chat"
