"""OpenAI's chat completions, which many other servers speak too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bylaw.wire.response import CallAsked, NotAResponse, Response, parsed_arguments


def recognises(raw: Mapping[str, Any]) -> bool:
    return isinstance(raw.get("choices"), list)


def decode(raw: Mapping[str, Any]) -> Response:
    choices = raw["choices"]
    if not choices:
        raise NotAResponse("`choices` is empty")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(message, Mapping):
        raise NotAResponse("`choices[0].message` is not an object")
    usage, asked = raw.get("usage"), message.get("tool_calls") or []
    if not isinstance(asked, list):
        raise NotAResponse("`choices[0].message.tool_calls` is not a list")
    return Response(
        id=_text(raw.get("id")),
        model=_text(raw.get("model")),
        content=_content(message.get("content")),
        tool_calls=tuple(_call(call) for call in asked),
        finish_reason=_text(choice.get("finish_reason")) or None,
        usage=usage if isinstance(usage, Mapping) else {},
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _content(value: Any) -> str | None:
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, Mapping))
    return value if isinstance(value, str) else None


def _call(call: Any) -> CallAsked:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise NotAResponse("a tool call has no function name")
    return CallAsked(
        id=_text(call.get("id")), name=function["name"], arguments=parsed_arguments(function.get("arguments"))
    )
