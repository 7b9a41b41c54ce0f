"""Chat completions: the answer is the one choice."""

from __future__ import annotations

from typing import Any

from bylaw.wire.failure import Failure
from bylaw.wire.response import (
    CallAsked,
    NotAResponse,
    Response,
    answered,
    arguments_text,
    asked_call,
    counted,
    ending,
    only,
)


def recognises(raw: dict[str, Any]) -> bool:
    return isinstance(raw.get("choices"), list)


def decode(raw: dict[str, Any]) -> Response:
    choices = raw.get("choices")
    if not isinstance(choices, list):
        raise NotAResponse("`choices` is not a list")
    choice = only(choices, "choices")
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        if isinstance(choice, dict) and "delta" in choice:
            raise NotAResponse("this is one chunk of a stream: the recording is cut off")
        raise NotAResponse("`choices[0].message` is not an object")
    refusal, finish, usage = message.get("refusal"), choice.get("finish_reason"), raw.get("usage")
    content = _content(message.get("content"))
    if isinstance(refusal, str) and refusal:
        content, finish = content or refusal, "content_filter"
    return answered(
        id=raw.get("id"),
        model=raw.get("model"),
        content=content,
        calls=_calls(message),
        finish="tool_calls" if finish == "function_call" else finish if isinstance(finish, str) and finish else None,
        usage=counted(usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("total_tokens"))
        if isinstance(usage, dict)
        else {},
    )


def _content(value: Any) -> str | None:
    if isinstance(value, list):
        return "".join([_part(part) for part in value if isinstance(part, dict)])
    return value if isinstance(value, str) else None


def _part(part: dict[str, Any]) -> str:
    text = part.get("text", part.get("refusal"))
    return text if isinstance(text, str) else ""


def _calls(message: dict[str, Any]) -> list[CallAsked]:
    asked = message.get("tool_calls")
    if asked:
        if not isinstance(asked, list):
            raise NotAResponse("`choices[0].message.tool_calls` is not a list")
        return [_call(call) for call in asked]
    function = message.get("function_call")
    return [_named(function, None)] if isinstance(function, dict) else []


def _call(call: Any) -> CallAsked:
    if not isinstance(call, dict):
        raise NotAResponse("a tool call is not an object")
    function, custom = call.get("function"), call.get("custom")
    if isinstance(custom, dict) and function is None:
        return asked_call(name=custom.get("name"), arguments={"input": custom.get("input")}, id=call.get("id"))
    return _named(function if isinstance(function, dict) else {}, call.get("id"))


def _named(function: dict[str, Any], id: Any) -> CallAsked:  # noqa: A002 (the field's name)
    return asked_call(name=function.get("name"), arguments=function.get("arguments"), id=id)


def encode(response: Response) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": response.content, "refusal": None}
    if response.tool_calls:
        message["tool_calls"] = [written_call(call) for call in response.tool_calls]
    raw: dict[str, Any] = {
        "id": response.id,
        "object": "chat.completion",
        "created": 0,
        "model": response.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": ending(response)}],
    }
    if response.usage:
        raw["usage"] = written_usage(response)
    return raw


def written_call(call: CallAsked) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments_text(call.arguments)},
    }


def written_usage(response: Response) -> dict[str, int]:
    usage = response.usage
    read, written = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    total = usage.get("total_tokens", read + written)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": total}


_TYPES = {
    "rate_limit": ("requests", "rate_limit_exceeded"),
    "bad_request": ("invalid_request_error", None),
    "timeout": ("server_error", "request_timeout"),
}


def refuse(failure: Failure) -> dict[str, Any]:
    kind, code = _TYPES.get(failure.kind, ("server_error", None))
    return {"error": {"message": failure.message, "type": kind, "param": None, "code": failure.word or code}}
