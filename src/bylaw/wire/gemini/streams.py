"""Chunks of generated content: each is a response of its own, with some of the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bylaw.wire.gemini.answers import recognises, written, written_call, written_finish, written_usage
from bylaw.wire.gemini.spelling import either
from bylaw.wire.pieces import in_pieces
from bylaw.wire.response import NotAResponse, Response, only, place_of
from bylaw.wire.sse import written_events

_TOP = ("usageMetadata", "usage_metadata", "modelVersion", "model_version", "responseId", "response_id")
_FEEDBACK = ("promptFeedback", "prompt_feedback")


def recognises_event(event: dict[str, Any]) -> bool:
    return recognises(event) or "usageMetadata" in event or "usage_metadata" in event


def assemble(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    raw: dict[str, Any] = {}
    candidates: dict[int, dict[str, Any]] = {}
    parts: list[Any] = []
    for event in events:
        if isinstance(event.get("error"), dict | str):
            return event
        raw |= {key: event[key] for key in (*_TOP, *_FEEDBACK) if event.get(key) is not None}
        listed = event.get("candidates")
        for found in listed if isinstance(listed, list) else ():
            if isinstance(found, dict):
                candidate = candidates.setdefault(place_of(found, "candidates"), {})
                candidate |= {key: value for key, value in found.items() if value is not None and key != "content"}
                parts.extend(_parts(found.get("content")))
    candidate = only([*candidates.values()], "candidates") if candidates else {}
    if candidate or not any(key in raw for key in _FEEDBACK):
        if either(candidate, "finishReason", "finish_reason") is None:
            raise NotAResponse(f"the stream is cut off: none of its {len(events)} chunks says why it ended")
        raw["candidates"] = [candidate | {"content": {"role": "model", "parts": _joined(parts)}}]
    return raw


def _parts(content: Any) -> list[Any]:
    parts = content.get("parts") if isinstance(content, dict) else None
    for part in parts if isinstance(parts, list) else ():
        call = either(part, "functionCall", "function_call") if isinstance(part, dict) else None
        if isinstance(call, dict) and either(call, "partialArgs", "partial_args"):
            raise NotAResponse("arguments that are streamed in pieces of their own can't be read from this provider")
    return parts if isinstance(parts, list) else []


def _joined(parts: list[Any]) -> list[Any]:
    """Texts that follow each other are one; what was thought stays apart from what was said."""
    joined: list[Any] = []
    texts: list[str] = []
    thought: Any = None
    for part in [*parts, None]:
        match part:
            case {"text": str() as text} if set(part) <= {"text", "thought"} and (
                not texts or _thought(part) == thought
            ):
                texts.append(text)
                thought = _thought(part)
                continue
        if texts:
            joined.append({"text": "".join(texts), **({"thought": True} if thought else {})})
            texts = []
        match part:
            case {"text": str() as text} if set(part) <= {"text", "thought"}:
                texts, thought = [text], _thought(part)
            case None:
                break
            case _:
                joined.append(part)
    return joined


def _thought(part: dict[str, Any]) -> bool:
    return part.get("thought") is True


def stream(response: Response, *, size: int = 24) -> Iterator[dict[str, Any]]:
    if response.content is not None:
        for piece in in_pieces(response.content, size):
            yield written(response, [{"text": piece}], finish=None)
        if not response.content:
            yield written(response, [{"text": ""}], finish=None)
    for call in response.tool_calls:
        yield written(response, [written_call(call)], finish=None)
    yield {**written(response, [], finish=written_finish(response)), **written_usage(response)}


def frames(events: Iterable[dict[str, Any]]) -> Iterator[str]:
    return written_events(events)
