"""The official clients, pointed at a scripted model and asked one thing, each as its API has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anthropic
import openai
from google import genai

from bylaw.testing import ScriptedModel
from bylaw.wire import Response, decode

APIS = ("openai_chat", "openai_responses", "anthropic_messages", "gemini")
PATIENCE_S = 30.0

Ask = Callable[[ScriptedModel, str, bool, float], Any]


def _chat(model: ScriptedModel, prompt: str, streamed: bool, timeout: float) -> Any:
    with openai.OpenAI(base_url=model.base_url("openai"), api_key="x", max_retries=0, timeout=timeout) as client:
        messages: Any = [{"role": "user", "content": prompt}]
        if streamed:
            options: Any = {"include_usage": True}
            return list(
                client.chat.completions.create(model="m", messages=messages, stream=True, stream_options=options)
            )
        return client.chat.completions.create(model="m", messages=messages)


def _responses(model: ScriptedModel, prompt: str, streamed: bool, timeout: float) -> Any:
    with openai.OpenAI(base_url=model.base_url("openai"), api_key="x", max_retries=0, timeout=timeout) as client:
        if streamed:
            return list(client.responses.create(model="m", input=prompt, stream=True))
        return client.responses.create(model="m", input=prompt)


def _messages(model: ScriptedModel, prompt: str, streamed: bool, timeout: float) -> Any:
    with anthropic.Anthropic(
        base_url=model.base_url("anthropic"), api_key="x", max_retries=0, timeout=timeout
    ) as client:
        messages: Any = [{"role": "user", "content": prompt}]
        if streamed:
            return list(client.messages.create(model="m", max_tokens=100, messages=messages, stream=True))
        return client.messages.create(model="m", max_tokens=100, messages=messages)


def _gemini(model: ScriptedModel, prompt: str, streamed: bool, timeout: float) -> Any:
    options = genai.types.HttpOptions(base_url=model.base_url("gemini"), timeout=int(timeout * 1000))
    with genai.Client(api_key="x", http_options=options) as client:
        if streamed:
            return list(client.models.generate_content_stream(model="m", contents=prompt))
        return client.models.generate_content(model="m", contents=prompt)


_ASKED: dict[str, Ask] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _messages,
    "gemini": _gemini,
}


def ask(
    model: ScriptedModel, api: str, prompt: str = "hello", *, streamed: bool = False, timeout: float = PATIENCE_S
) -> Response:
    """The answer in normal form; what the client raises is raised."""
    return decode(_ASKED[api](model, prompt, streamed, timeout), provider=api)
