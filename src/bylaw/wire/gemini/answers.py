"""Generated content: text and calls are parts of the one candidate."""

from __future__ import annotations

from typing import Any

from bylaw.wire.failure import STATUS, Failure
from bylaw.wire.gemini.spelling import either, object_in
from bylaw.wire.response import (
    CallAsked,
    NotAResponse,
    Response,
    answered,
    arguments_value,
    asked_call,
    counted,
    ending,
    only,
    together,
)

_FILTERS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE")
_MALFORMED = "MALFORMED_FUNCTION_CALL"
_FINISH: dict[str, str | None] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(_FILTERS, "content_filter"),
    "FINISH_REASON_UNSPECIFIED": None,
    "OTHER": "other",
    _MALFORMED: "tool_calls",
}
_WRITTEN = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "other": "OTHER",
}


def recognises(raw: dict[str, Any]) -> bool:
    return isinstance(raw.get("candidates"), list) or "promptFeedback" in raw or "prompt_feedback" in raw


def decode(raw: dict[str, Any]) -> Response:
    candidates = raw.get("candidates")
    content: str | None = None
    calls: list[CallAsked] = []
    finish: str | None = "content_filter"
    if candidates:
        candidate = only(candidates, "candidates") if isinstance(candidates, list) else None
        if not isinstance(candidate, dict):
            raise NotAResponse("`candidates[0]` is not an object")
        content, calls = _said(candidate)
        finish = _finish(candidate)
    elif not object_in(raw, "promptFeedback", "prompt_feedback"):
        raise NotAResponse("`candidates` is empty")
    return answered(
        id=either(raw, "responseId", "response_id"),
        model=either(raw, "modelVersion", "model_version"),
        content=content,
        calls=calls,
        finish=finish,
        usage=_usage(object_in(raw, "usageMetadata", "usage_metadata") or {}),
    )


def _finish(candidate: dict[str, Any]) -> str | None:
    word = either(candidate, "finishReason", "finish_reason")
    return _FINISH.get(word, word) if isinstance(word, str) and word else None


def _said(candidate: dict[str, Any]) -> tuple[str | None, list[CallAsked]]:
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    texts: list[str] = []
    calls: list[CallAsked] = []
    if parts is not None and not isinstance(parts, list):
        raise NotAResponse("the parts of the content are not a list")
    for part in parts or ():
        if not isinstance(part, dict):
            raise NotAResponse("a part of the content is not an object")
        call, text = object_in(part, "functionCall", "function_call"), part.get("text")
        if call is not None:
            calls.append(asked_call(name=call.get("name"), arguments=call.get("args"), id=call.get("id")))
        elif isinstance(text, str) and not part.get("thought"):
            texts.append(text)
    if not calls and either(candidate, "finishReason", "finish_reason") == _MALFORMED:
        calls.append(_unreadable(either(candidate, "finishMessage", "finish_message")))
    return "".join(texts) if texts else None, calls


def _unreadable(message: Any) -> CallAsked:
    """The model asked for a call that Google itself could not read: all there is of it is the message."""
    return CallAsked(
        name="", arguments=message if isinstance(message, str) and message else "malformed function call"
    )


def _usage(usage: dict[str, Any]) -> dict[str, int]:
    """What was thought is written too, and what tools brought is read."""
    read = together(
        either(usage, "promptTokenCount", "prompt_token_count"),
        either(usage, "toolUsePromptTokenCount", "tool_use_prompt_token_count"),
    )
    written = together(
        either(usage, "candidatesTokenCount", "candidates_token_count"),
        either(usage, "thoughtsTokenCount", "thoughts_token_count"),
    )
    return counted(read, written, either(usage, "totalTokenCount", "total_token_count"))


def encode(response: Response) -> dict[str, Any]:
    parts = [] if response.content is None else [{"text": response.content}]
    return {
        **written(response, [*parts, *map(written_call, response.tool_calls)], finish=written_finish(response)),
        **written_usage(response),
    }


def written(response: Response, parts: list[dict[str, Any]], *, finish: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": response.model, "responseId": response.id}


def written_call(call: CallAsked) -> dict[str, Any]:
    named = {"id": call.id} if call.id else {}
    return {"functionCall": {"name": call.name, "args": arguments_value(call.arguments), **named}}


def written_finish(response: Response) -> str:
    return _WRITTEN.get(ending(response), ending(response))


def written_usage(response: Response) -> dict[str, Any]:
    usage = response.usage
    if not usage:
        return {}
    read, wrote = usage.get("input_tokens", 0), usage.get("output_tokens", 0)
    counts = {"promptTokenCount": read, "candidatesTokenCount": wrote}
    return {"usageMetadata": counts | {"totalTokenCount": usage.get("total_tokens", read + wrote)}}


_WORDS = {
    "timeout": "DEADLINE_EXCEEDED",
    "rate_limit": "RESOURCE_EXHAUSTED",
    "bad_request": "INVALID_ARGUMENT",
    "connection": "UNAVAILABLE",
}


def refuse(failure: Failure) -> dict[str, Any]:
    word = failure.word or _WORDS.get(failure.kind, "INTERNAL")
    status = STATUS[failure.kind] if failure.status is None else failure.status
    error: dict[str, Any] = {"code": status, "message": failure.message, "status": word}
    if failure.retry_after is not None:
        kind = "type.googleapis.com/google.rpc.RetryInfo"
        error["details"] = [{"@type": kind, "retryDelay": f"{failure.retry_after:g}s"}]
    return {"error": error}
