"""Chunks of a chat completion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bylaw.wire.openai_chat.answers import written_usage
from bylaw.wire.pieces import in_pieces
from bylaw.wire.response import NotAResponse, Response, arguments_text, ending, only, place_of
from bylaw.wire.sse import written_events

_CARRIED = ("id", "created", "model", "system_fingerprint", "service_tier", "usage")


def recognises_event(event: dict[str, Any]) -> bool:
    if event.get("object") == "chat.completion.chunk":
        return True
    match event:
        case {"choices": [{"delta": _}, *_]}:
            return True
    return False


class _Call:
    """One call as its pieces come in."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []

    def add(self, piece: dict[str, Any]) -> None:
        match piece:
            case {"id": str() as found} if found:
                self.id = found
        match piece.get("function"):
            case {"name": str() as name} if name:
                self.name += name
        match piece.get("function"):
            case {"arguments": str() as text}:
                self.arguments.append(text)

    def whole(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}


class _Message:
    """One choice as its deltas come in; texts are joined at the end, however many pieces there are."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {}
        self.calls: list[_Call] = []
        self.at: dict[Any, _Call] = {}
        self.function: _Call | None = None
        self.finish: str | None = None

    def add(self, choice: dict[str, Any]) -> None:
        delta = choice.get("delta")
        if isinstance(delta, dict):
            for key in ("content", "refusal"):
                if isinstance(delta.get(key), str):
                    self.texts.setdefault(key, []).append(delta[key])
            pieces = delta.get("tool_calls")
            for piece in pieces if isinstance(pieces, list) else ():
                if isinstance(piece, dict):
                    self._call(piece).add(piece)
            if isinstance(delta.get("function_call"), dict):
                self.function = self.function or _Call()
                self.function.add({"function": delta["function_call"]})
        match choice.get("finish_reason"):
            case str() as finish if finish:
                self.finish = finish

    def _call(self, piece: dict[str, Any]) -> _Call:
        """By index. Servers that number every call alike, or none, tell a new one by its id."""
        index, id_ = piece.get("index"), piece.get("id")
        if not isinstance(index, int):
            index = None
        known = self.at.get(index)
        if known is None or (id_ and known.id and id_ != known.id):
            known = self.at[index] = _Call()
            self.calls.append(known)
        return known

    def whole(self) -> dict[str, Any]:
        text = {key: "".join(self.texts[key]) if key in self.texts else None for key in ("content", "refusal")}
        asked = [*self.calls, *([self.function] if self.function is not None else [])]
        calls = {"tool_calls": [call.whole() for call in asked]} if asked else {}
        return {"role": "assistant", **text, **calls}


def assemble(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    messages: dict[int, _Message] = {}
    raw: dict[str, Any] = {"object": "chat.completion"}
    for event in events:
        if isinstance(event.get("error"), dict | str):
            return event
        raw |= {key: event[key] for key in _CARRIED if event.get(key) is not None}
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                messages.setdefault(place_of(choice, "choices"), _Message()).add(choice)
    message = only([*messages.values()], "choices") if messages else _Message()
    if message.finish is None:
        raise NotAResponse(f"the stream is cut off: none of its {len(events)} chunks says why it ended")
    return raw | {"choices": [{"index": 0, "message": message.whole(), "finish_reason": message.finish}]}


def stream(response: Response, *, size: int = 24) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**head, "choices": [choice]}

    head = {"id": response.id, "object": "chat.completion.chunk", "created": 0, "model": response.model}
    yield chunk({"role": "assistant", "content": None if response.content is None else "", "refusal": None})
    for piece in in_pieces(response.content or "", size):
        yield chunk({"content": piece})
    for index, call in enumerate(response.tool_calls):
        function = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
        for piece in in_pieces(arguments_text(call.arguments), size):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, ending(response))
    if response.usage:
        yield {**head, "choices": [], "usage": written_usage(response)}


def frames(events: Iterable[dict[str, Any]]) -> Iterator[str]:
    return written_events(events, done=True)
