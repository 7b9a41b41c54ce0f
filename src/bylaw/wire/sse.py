"""Server-sent events: the text of a stream, and what is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from bylaw.wire.depth import flattened, unclosed
from bylaw.wire.response import NotAResponse, json_text

DONE = "[DONE]"

_FIELD = re.compile(r"(data|event|id|retry)?:")


def looks_streamed(text: str) -> bool:
    return _FIELD.match(text.lstrip("\ufeff \r\n")) is not None


def parsed_events(text: str) -> list[Any]:
    """The data of each event. Events without data and the closing `[DONE]` are passed over."""
    payloads = [data for data in _payloads(text) if data.strip() and data.strip() != DONE]
    events = []
    for number, data in enumerate(payloads, 1):
        try:
            events.append(msgspec.json.decode(flattened(data)))
        except (msgspec.DecodeError, ValueError) as error:
            if number == len(payloads) and unclosed(data):
                raise NotAResponse(f"the stream is cut off in its event {number}") from error
            raise NotAResponse(f"event {number} of the stream is not JSON: {error}") from error
    return events


def _payloads(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")):
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def written_events(events: Iterable[Any], *, named: bool = False, done: bool = False) -> Iterator[str]:
    """The text of each event; `named` ones carry their type in a line of its own, `done` closes with a mark."""
    for event in events:
        name = f"event: {event['type']}\n" if named and "type" in event else ""
        yield f"{name}data: {json_text(event)}\n\n"
    if done:
        yield f"data: {DONE}\n\n"
