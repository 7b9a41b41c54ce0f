"""The normal form of a model's answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class NotAResponse(ValueError):
    """Something that can't be read as a model's answer; the message says why."""


class CallAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call the model asks for. `arguments` is the parsed object, or what came where that was none."""

    name: str
    arguments: Any = {}
    id: str = ""


class Response(msgspec.Struct, frozen=True, kw_only=True):
    id: str = ""
    model: str = ""
    content: str | None = None
    tool_calls: tuple[CallAsked, ...] = ()
    finish_reason: str | None = None
    usage: Mapping[str, Any] = {}


def parsed_arguments(text: Any) -> Any:
    """Arguments as the object they spell; an empty text is an empty object, anything else stays what it was."""
    if not isinstance(text, str):
        return {} if text is None else text
    if not text.strip():
        return {}
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
