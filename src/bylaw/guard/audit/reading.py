"""Audit events back from a file, for whoever judges recorded traffic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from bylaw.guard.audit.chain import read_link
from bylaw.guard.audit.events import AuditEvent
from bylaw.guard.audit.lines import Line, read_lines


class NotAnEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A line from which no event came: events that were lost or deleted, a record cut short, or no record at all."""

    kind: Literal["lost", "deleted", "cut", "junk"]
    says: str
    file: str
    line: int


def read_events(path: Path) -> Iterator[AuditEvent | NotAnEvent]:
    """Every line of a file, chained or plain, as its event or as the reason why there is none."""
    decode = msgspec.json.Decoder(AuditEvent).decode
    for line in read_lines(path):
        try:
            yield decode(line.text)
        except msgspec.MsgspecError as error:
            yield not_an_event(line, str(error))


def not_an_event(line: Line, why: str) -> NotAnEvent:
    """What a line is that could not be read as an event; `why` is what kept it from being one."""
    kind, says = _kind_of(line, why)
    return NotAnEvent(kind=kind, says=says, file=line.file, line=line.number)


def _kind_of(line: Line, why: str) -> tuple[Literal["lost", "deleted", "cut", "junk"], str]:
    try:
        link = read_link(line.text)
    except msgspec.MsgspecError:
        if line.looks_cut:
            return "cut", "this record was cut off: its writer was stopped, or the disk was full"
        return "junk", f"this is not an audit event: {why}"
    if link.gap is not None:
        return "lost", f"{link.gap.lost} events were never written: {link.gap.why}"
    if link.dropped is not None:
        return "deleted", f"older events were deleted with {', '.join(link.dropped.files)}"
    return "junk", f"this is not an audit event: {why}"
