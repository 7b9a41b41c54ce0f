"""Events of a response: items that are added, grow and are done, and at the end the whole of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bylaw.wire.openai_responses.answers import encode, written_items
from bylaw.wire.pieces import in_pieces
from bylaw.wire.response import NotAResponse, Response
from bylaw.wire.sse import written_events

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})


def recognises_event(event: dict[str, Any]) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind.startswith("response.")


def assemble(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The last event has all of it; servers that leave the output out there have sent the items before."""
    done: dict[int, dict[str, Any]] = {}
    for event in events:
        match event:
            case {"type": "error"} | {"error": dict()}:
                return event
            case {"type": "response.output_item.done", "output_index": int() as index, "item": dict() as item}:
                done[index] = item
            case {"type": str() as kind, "response": dict() as response} if kind in _LAST:
                if done and not response.get("output"):
                    return response | {"output": [done[index] for index in sorted(done)]}
                return response
    raise NotAResponse(f"the stream is cut off: none of its {len(events)} events completes the response")


def stream(response: Response, *, size: int = 24) -> Iterator[dict[str, Any]]:
    for number, event in enumerate(_events(response, size)):
        yield event | {"sequence_number": number}


def _events(response: Response, size: int) -> Iterator[dict[str, Any]]:
    whole = encode(response)
    begun = whole | {"status": "in_progress", "incomplete_details": None, "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(written_items(response)):
        at = {"output_index": index, "item_id": item["id"]}
        empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        added = item | empty | {"status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": added}
        yield from _text(item, at, size) if item["type"] == "message" else _arguments(item, at, size)
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{whole['status']}", "response": whole}


def _text(item: dict[str, Any], at: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    (part,) = item["content"]
    at = at | {"content_index": 0}
    yield {"type": "response.content_part.added", **at, "part": part | {"text": ""}}
    for piece in in_pieces(part["text"], size):
        yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **at, "part": part}


def _arguments(item: dict[str, Any], at: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    for piece in in_pieces(item["arguments"], size):
        yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
    whole = {"name": item["name"], "arguments": item["arguments"]}
    yield {"type": "response.function_call_arguments.done", **at, **whole}


def frames(events: Iterable[dict[str, Any]]) -> Iterator[str]:
    return written_events(events, named=True)
