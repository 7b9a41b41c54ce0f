"""One form for every provider's answer, and the recognition of whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.evidence import ToolCall
from bylaw.wire import openai_chat
from bylaw.wire.response import CallAsked, NotAResponse, Response, parsed_arguments

__all__ = ["CallAsked", "NotAResponse", "Response", "decode", "tool_calls"]


def decode(raw: Any) -> Response:
    """A provider's answer, or one already in normal form, by its shape."""
    if not isinstance(raw, Mapping):
        raise NotAResponse("a response is a JSON object")
    if openai_chat.recognises(raw):
        return openai_chat.decode(raw)
    if "tool_calls" in raw or "content" in raw:
        return _normal(raw)
    raise NotAResponse(f"not a response of a known provider: it has {_keys(raw)}")


def _normal(raw: Mapping[str, Any]) -> Response:
    try:
        response = msgspec.convert(raw, Response)
    except msgspec.ValidationError as error:
        raise NotAResponse(f"not a response in normal form: {error}") from error
    calls = tuple(
        msgspec.structs.replace(call, arguments=parsed_arguments(call.arguments)) for call in response.tool_calls
    )
    return msgspec.structs.replace(response, tool_calls=calls)


def _keys(raw: Mapping[str, Any]) -> str:
    named = ", ".join(f"`{key}`" for key in list(raw)[:6])
    return f"the keys {named}" if named else "no keys"


def tool_calls(response: Response) -> tuple[ToolCall, ...]:
    """The calls a response asks for, as evidence; arguments that are no JSON object are kept as they came."""
    return tuple(
        ToolCall(tool=call.name, args=call.arguments, id=call.id)
        if isinstance(call.arguments, Mapping)
        else ToolCall(tool=call.name, id=call.id, malformed=_as_text(call.arguments))
        for call in response.tool_calls
    )


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
