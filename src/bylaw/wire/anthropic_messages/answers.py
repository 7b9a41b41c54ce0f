"""Messages: text and calls are blocks side by side."""

from __future__ import annotations

from typing import Any

from bylaw.wire.failure import Failure
from bylaw.wire.response import (
    CallAsked,
    NotAResponse,
    Response,
    answered,
    arguments_value,
    asked_call,
    counted,
    ending,
    together,
)

_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
_WRITTEN = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}


def recognises(raw: dict[str, Any]) -> bool:
    return isinstance(raw.get("content"), list) and "tool_calls" not in raw


def decode(raw: dict[str, Any]) -> Response:
    blocks = raw.get("content")
    if not isinstance(blocks, list):
        raise NotAResponse("`content` is not a list of blocks")
    texts: list[str] = []
    calls: list[CallAsked] = []
    for block in blocks:
        if not isinstance(block, dict):
            raise NotAResponse("a block of `content` is not an object")
        kind = block.get("type")
        if kind == "text":
            text = block.get("text")
            texts.append(text if isinstance(text, str) else "")
        elif kind == "tool_use":
            calls.append(asked_call(name=block.get("name"), arguments=block.get("input"), id=block.get("id")))
    finish, usage = raw.get("stop_reason"), raw.get("usage")
    return answered(
        id=raw.get("id"),
        model=raw.get("model"),
        content="".join(texts) if texts else None,
        calls=calls,
        finish=_FINISH.get(finish, finish) if isinstance(finish, str) and finish else None,
        usage=_usage(usage) if isinstance(usage, dict) else {},
    )


def _usage(usage: dict[str, Any]) -> dict[str, int]:
    """What was read from a cache or written to it is counted apart, and was read all the same."""
    cached = usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens")
    return counted(together(usage.get("input_tokens"), *cached), usage.get("output_tokens"))


def encode(response: Response) -> dict[str, Any]:
    return {
        "id": response.id,
        "type": "message",
        "role": "assistant",
        "model": response.model,
        "content": [*written_text(response.content), *map(written_call, response.tool_calls)],
        "stop_reason": written_finish(response),
        "stop_sequence": None,
        "usage": written_usage(response),
    }


def written_text(text: str | None) -> list[dict[str, Any]]:
    return [] if text is None else [{"type": "text", "text": text}]


def written_call(call: CallAsked) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_value(call.arguments)}


def written_finish(response: Response) -> str:
    return _WRITTEN.get(ending(response), ending(response))


def written_usage(response: Response) -> dict[str, int]:
    return {key: response.usage.get(key, 0) for key in ("input_tokens", "output_tokens")}


_TYPES = {
    "timeout": "timeout_error",
    "rate_limit": "rate_limit_error",
    "bad_request": "invalid_request_error",
}


def refuse(failure: Failure) -> dict[str, Any]:
    word = failure.word or _TYPES.get(failure.kind, "api_error")
    return {"type": "error", "error": {"type": word, "message": failure.message}}
