"""Responses: messages and calls are items of one output."""

from __future__ import annotations

from typing import Any

from bylaw.wire.failure import Failure, ProviderFailed, failure_in
from bylaw.wire.openai_chat.answers import refuse
from bylaw.wire.response import (
    CallAsked,
    NotAResponse,
    Response,
    answered,
    arguments_text,
    asked_call,
    counted,
    ending,
)

__all__ = ["decode", "encode", "recognises", "refuse", "written_items"]

_FINISH = {"max_output_tokens": "length"}
_WRITTEN = {"length": "max_output_tokens"}
_WHOLE = frozenset({"stop", "tool_calls"})


def recognises(raw: dict[str, Any]) -> bool:
    return raw.get("object") == "response" or isinstance(raw.get("output"), list)


def decode(raw: dict[str, Any]) -> Response:
    if raw.get("status") == "failed":
        raise ProviderFailed(failure_in(raw) or Failure(kind="server_error"))
    if raw.get("status") in ("in_progress", "queued"):
        raise NotAResponse("the response is not finished: the recording is cut off")
    output = raw.get("output")
    if not isinstance(output, list):
        raise NotAResponse("`output` is not a list")
    texts: list[str] = []
    calls: list[CallAsked] = []
    refused = False
    for item in output:
        if not isinstance(item, dict):
            raise NotAResponse("an item of `output` is not an object")
        kind = item.get("type")
        if kind == "function_call":
            calls.append(asked_call(name=item.get("name"), arguments=item.get("arguments"), id=_id(item)))
        elif kind == "custom_tool_call":
            calls.append(asked_call(name=item.get("name"), arguments={"input": item.get("input")}, id=_id(item)))
        elif kind == "message":
            refused |= _said(item.get("content"), texts)
    usage = raw.get("usage")
    return answered(
        id=raw.get("id"),
        model=raw.get("model"),
        content="".join(texts) if texts else None,
        calls=calls,
        finish="content_filter" if refused else _finish(raw),
        usage=counted(usage.get("input_tokens"), usage.get("output_tokens"), usage.get("total_tokens"))
        if isinstance(usage, dict)
        else {},
    )


def _id(item: dict[str, Any]) -> Any:
    return item.get("call_id", item.get("id"))


def _said(content: Any, texts: list[str]) -> bool:
    """Adds what a message says; whether it is a refusal."""
    if isinstance(content, str):
        texts.append(content)
    refused = False
    for part in content if isinstance(content, list) else ():
        match part:
            case {"type": "output_text", "text": str() as text}:
                texts.append(text)
            case {"type": "refusal", "refusal": str() as text}:
                texts.append(text)
                refused = True
    return refused


def _finish(raw: dict[str, Any]) -> str | None:
    status, details = raw.get("status"), raw.get("incomplete_details")
    if status == "completed":
        return "stop"
    reason = details.get("reason") if isinstance(details, dict) else None
    if isinstance(reason, str) and reason:
        return _FINISH.get(reason, reason)
    return status if isinstance(status, str) and status else None


def encode(response: Response) -> dict[str, Any]:
    finish = ending(response)
    whole = finish in _WHOLE
    usage = response.usage
    return {
        "id": response.id,
        "object": "response",
        "created_at": 0,
        "status": "completed" if whole else "incomplete",
        "error": None,
        "incomplete_details": None if whole else {"reason": _WRITTEN.get(finish, finish)},
        "instructions": None,
        "metadata": {},
        "model": response.model,
        "output": written_items(response),
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [],
        "top_p": None,
        "usage": _written_usage(
            usage.get("input_tokens", 0), usage.get("output_tokens", 0), usage.get("total_tokens")
        )
        if usage
        else None,
    }


def _written_usage(read: int, written: int, total: int | None) -> dict[str, Any]:
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written if total is None else total,
    }


def written_items(response: Response) -> list[dict[str, Any]]:
    message: list[dict[str, Any]] = []
    if response.content is not None:
        part = {"type": "output_text", "text": response.content, "annotations": []}
        message.append(
            {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed", "content": [part]}
        )
    return [*message, *(_written_call(call, number) for number, call in enumerate(response.tool_calls))]


def _written_call(call: CallAsked, number: int) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments_text(call.arguments),
        "status": "completed",
    }
