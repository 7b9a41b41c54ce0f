"""Observations from the guard's audit log: the calls that were made, without a model's answer around them.

What the guard took out of a record is known to have been there, and nothing else of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from bylaw.guard.audit import AuditAction, AuditEvent, NotAnEvent, read_events
from bylaw.observe.gathered import Gathered
from bylaw.observe.observation import Observation, json_data
from bylaw.wire import CallAsked, Request, Response, Tool

MOST_OF_A_TOOL = 1_000
MOST_IN_A_SESSION = 50
_TOO_MANY = f"a call in a session of more than {MOST_IN_A_SESSION}"

_UNUSED: Mapping[AuditAction, str] = {
    AuditAction.CALL_DENIED: "the call was denied",
    AuditAction.CALL_WOULD_DENY: "the call would have been denied",
    AuditAction.CALL_ALLOWED: "the decision on a call, not the call itself",
    AuditAction.CALL_FAILED: "the tool failed",
    AuditAction.POSTCONDITION_WARNING: "a warning about a call, not the call itself",
}
_NO_EVENT = {
    "lost": "events that were never written",
    "deleted": "events that were deleted",
    "cut": "a record that was cut off",
    "junk": "a line that is no audit event",
}


def from_audit_log(
    files: Sequence[Path], *, by: Literal["tool", "session"] = "tool", tools: Sequence[Tool] = ()
) -> Gathered:
    """By `tool`, every executed call is an observation of its tool. By `session`, all of a session's are one.

    Sessions that called the same tools are observations of one thing. `tools` are described by the caller, since the
    log has no schemas.
    """
    reading = _Reading(Request(tools=tuple(tools)))
    for file in files:
        reading.add(read_events(file), by)
    found = [observation for together in reading.of_tools.values() for observation in together]
    for events in reading.of_sessions.values():
        if len(events) > MOST_IN_A_SESSION:
            reading.skip(_TOO_MANY, len(events))
        else:
            found.append(reading.observation(_several(events), events))
    skipped = dict(reading.skipped)
    return Gathered(observations=tuple(found), used=reading.executed - reading.unused, skipped=skipped)


class _Reading:
    def __init__(self, request: Request) -> None:
        self.request = request
        self.executed = 0
        self.unused = 0
        self.skipped: Counter[str] = Counter()
        self.of_tools: dict[str, list[Observation]] = {}
        self.of_sessions: dict[str, list[AuditEvent]] = {}

    def add(self, events: Iterable[AuditEvent | NotAnEvent], by: Literal["tool", "session"]) -> None:
        for event in events:
            if isinstance(event, NotAnEvent):
                self.skipped[_NO_EVENT[event.kind]] += 1
            elif event.action is not AuditAction.CALL_EXECUTED:
                self.skipped[_UNUSED[event.action]] += 1
            elif by == "session":
                self.executed += 1
                self._keep(event)
            else:
                self.executed += 1
                self._learn(event)

    def _keep(self, event: AuditEvent) -> None:
        events = self.of_sessions.setdefault(event.session_id or event.run_id, [])
        if len(events) > MOST_IN_A_SESSION:
            self.skip(_TOO_MANY, 1)
        else:
            events.append(event)

    def _learn(self, event: AuditEvent) -> None:
        together = self.of_tools.setdefault(event.tool_name, [])
        if len(together) == MOST_OF_A_TOOL:
            self.skip(f"a call of a tool of which {MOST_OF_A_TOOL:,} were seen", 1)
        else:
            together.append(self.observation(event.tool_name, [event]))

    def skip(self, why: str, events: int) -> None:
        self.skipped[why] += events
        self.unused += events

    def observation(self, name: str, events: Sequence[AuditEvent]) -> Observation:
        calls = tuple(CallAsked(name=event.tool_name, arguments=json_data(event.tool_args)) for event in events)
        return Observation(
            name=name,
            request=self.request,
            response=Response(tool_calls=calls),
            hidden=tuple(event.redacted for event in events),
        )


def _several(events: Sequence[AuditEvent]) -> str:
    return "-".join(sorted({event.tool_name for event in events}))
