"""Events of a message: blocks that start, grow and stop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bylaw.wire.anthropic_messages.answers import encode, written_finish, written_usage
from bylaw.wire.pieces import in_pieces
from bylaw.wire.response import NotAResponse, Response, arguments_text, parsed_arguments
from bylaw.wire.sse import written_events

_EVENTS = frozenset(
    {"message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta"}
    | {"content_block_stop", "ping"}
)
_GROWN = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


def recognises_event(event: dict[str, Any]) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind in _EVENTS


class _Block:
    """One block as its deltas come in."""

    def __init__(self, start: dict[str, Any]) -> None:
        self.start = start
        self.pieces: dict[str, list[str]] = {}
        self.set: dict[str, Any] = {}

    def add(self, delta: dict[str, Any]) -> None:
        kind = delta.get("type")
        key = _GROWN.get(kind) if isinstance(kind, str) else None
        if key is not None and isinstance(delta.get(key), str):
            self.pieces.setdefault(key, []).append(delta[key])
        elif kind == "signature_delta":
            self.set["signature"] = delta.get("signature")
        elif kind == "citations_delta":
            self.set.setdefault("citations", []).append(delta.get("citation"))

    def whole(self) -> dict[str, Any]:
        grown = {key: "".join(pieces) for key, pieces in self.pieces.items()}
        block = {**self.start, **self.set}
        if grown.get("partial_json"):
            block["input"] = _input(grown["partial_json"])
        for key in ("text", "thinking"):
            if key in grown:
                begun = block.get(key)
                block[key] = (begun if isinstance(begun, str) else "") + grown[key]
        return block


def _input(text: str) -> Any:
    """The object the pieces came to; what is none stays the text it is."""
    found = parsed_arguments(text)
    return found if isinstance(found, dict) else text


def assemble(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    raw: dict[str, Any] | None = None
    blocks: dict[Any, _Block] = {}
    usage: dict[str, Any] = {}
    for event in events:
        match event:
            case {"type": "error"} | {"error": dict()}:
                return event
            case {"type": "message_start", "message": dict() as message}:
                raw = dict(message)
                usage = _told(message.get("usage"))
            case {"type": "content_block_start", "index": int() as index, "content_block": dict() as block}:
                blocks[index] = _Block(block)
            case {"type": "content_block_delta", "index": int() as index, "delta": dict() as delta}:
                if index in blocks:
                    blocks[index].add(delta)
            case {"type": "message_delta", "delta": dict() as delta} if raw is not None:
                raw |= _told(delta)
                usage |= _told(event.get("usage"))
    if raw is None:
        raise NotAResponse("the stream has no `message_start`")
    if raw.get("stop_reason") is None:
        raise NotAResponse(f"the stream is cut off: none of its {len(events)} events says why it ended")
    return raw | {"content": [blocks[index].whole() for index in sorted(blocks)], "usage": usage}


def _told(given: Any) -> dict[str, Any]:
    """Without what is null: that leaves standing what was told before."""
    return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else {}


def stream(response: Response, *, size: int = 24) -> Iterator[dict[str, Any]]:
    usage = written_usage(response)
    message = encode(response) | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 0}}
    yield {"type": "message_start", "message": message}
    index = 0
    if response.content is not None:
        deltas = [{"type": "text_delta", "text": piece} for piece in in_pieces(response.content, size)]
        yield from _block(index, {"type": "text", "text": ""}, deltas)
        index += 1
    for index, call in enumerate(response.tool_calls, index):  # noqa: B020 (goes on where the text left off)
        start = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        pieces = in_pieces(arguments_text(call.arguments), size)
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        yield from _block(index, start, deltas)
    delta = {"stop_reason": written_finish(response), "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage["output_tokens"]}}
    yield {"type": "message_stop"}


def _block(index: int, start: dict[str, Any], deltas: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def frames(events: Iterable[dict[str, Any]]) -> Iterator[str]:
    return written_events(events, named=True)
