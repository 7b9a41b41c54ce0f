"""What happened in a run, event by event. Everything shown or stored is made from this."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from bylaw.errors import NOWHERE, BylawError, Span
from bylaw.evidence import Evidence
from bylaw.plan import Cell, Group, Trial
from bylaw.verdict import Action, Finding, Item, Outcome, Verdict

SCHEMA = 1
LONGEST_INTEGER = 13_000
"""Bits of the longest integer that is written in digits, where one that is too long was met."""


class JournalError(BylawError):
    """A journal that can't be read: cut off, not a journal, or from a newer version."""


class Outline(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a reader must know of a group to show what was judged in it."""

    id: str
    parent: str = ""
    title: str = ""
    kind: str = ""
    where: Span = NOWHERE
    notes: tuple[str, ...] = ()


class Started(msgspec.Struct, frozen=True, kw_only=True, tag="started"):
    schema: int = SCHEMA
    version: str
    at: float
    seed: int
    trials: int
    cells: int
    files: tuple[str, ...] = ()
    groups: tuple[Outline, ...] = ()


class TrialEnded(msgspec.Struct, frozen=True, kw_only=True, tag="trial", omit_defaults=True):
    trial: str
    evidence: Evidence
    prompt: str = ""
    scenario: str = ""
    faults: tuple[str, ...] = ()
    params: Mapping[str, str] = {}
    replica: int = 0
    seed: int = 0


class Conclusion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finding about the cell's item on one trial; None where the cell needed no trial."""

    outcome: Outcome
    trial: str | None = None
    score: float = 1.0
    code: str = ""
    reason: str = ""
    action: Action = ""
    about: tuple[int, ...] = ()
    details: Mapping[str, Any] = {}


class CellJudged(msgspec.Struct, frozen=True, kw_only=True, tag="cell", omit_defaults=True):
    cell: str
    group: str
    item: Item
    conclusions: tuple[Conclusion, ...]
    verdict: Verdict
    labels: Mapping[str, str] = {}


class GroupJudged(msgspec.Struct, frozen=True, kw_only=True, tag="group", omit_defaults=True):
    group: str
    verdict: Verdict


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended", omit_defaults=True):
    verdict: Verdict
    ms: float
    stopped: str = ""


Event = Started | TrialEnded | CellJudged | GroupJudged | Ended
Listener = Callable[[Event], None]


def outline(group: Group, *, parent: str = "") -> Iterator[Outline]:
    yield Outline(
        id=group.id, parent=parent, title=group.title, kind=group.kind, where=group.where, notes=group.notes
    )
    for member in group.members:
        if isinstance(member, Group):
            yield from outline(member, parent=group.id)


def trial_ended(trial: Trial, evidence: Evidence) -> TrialEnded:
    return TrialEnded(
        trial=trial.id,
        evidence=evidence,
        prompt=trial.prompt,
        scenario=trial.scenario.name,
        faults=tuple(fault.id for fault in trial.scenario.faults),
        params=trial.scenario.params,
        replica=trial.replica,
        seed=trial.seed,
    )


def cell_judged(cell: Cell, group: Group, findings: list[tuple[str | None, Finding]], verdict: Verdict) -> CellJudged:
    return CellJudged(
        cell=cell.id,
        group=group.id,
        item=cell.check.item,
        conclusions=tuple(
            Conclusion(
                trial=trial,
                outcome=finding.outcome,
                score=finding.score,
                code=finding.code,
                reason=finding.reason,
                action=finding.action,
                about=finding.about,
                details=finding.details,
            )
            for trial, finding in findings
        ),
        verdict=msgspec.structs.replace(verdict, because=()),
        labels=cell.labels,
    )


class JournalWriter:
    """Appends events to a file, one JSON object a line; a finished trial is on disk before the next event.

    What JSON has no word for is written as the nearest it has: a number that is not finite as null, half a character
    as its escape, an integer of thousands of digits as hexadecimal text.
    """

    def __init__(self, path: Path) -> None:
        self._file: io.BufferedWriter = path.open("wb")
        self._encode = msgspec.json.Encoder().encode

    def __call__(self, event: Event) -> None:
        try:
            line = self._encode(event)
        except ValueError:
            line = self._encode(_in_json(msgspec.to_builtins(event)))
        self._file.write(line + b"\n")
        if not isinstance(event, CellJudged):
            self._file.flush()

    def close(self) -> None:
        self._file.close()


def _in_json(value: Any) -> Any:
    """The same data without what came out of an agent's mouth and does not go into a JSON file."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and value.bit_length() > LONGEST_INTEGER:
        return hex(value)
    if isinstance(value, dict):
        return {_in_json(key): _in_json(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_in_json(inner) for inner in value]
    return value


def read_journal(path: Path) -> Iterator[Event]:
    """The events of a journal. A last line that was cut off ends it; anything else unreadable is an error."""
    decode = msgspec.json.Decoder(Event).decode
    with path.open("rb") as file:
        _check_schema(path, file.readline())
        file.seek(0)
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield decode(line)
            except _UNREADABLE as problem:
                raise JournalError(f"{path}:{number}: not a journal event: {problem}") from problem


_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def _check_schema(path: Path, line: bytes) -> None:
    if not line:
        raise JournalError(f"{path} is not a journal: it is empty")
    try:
        first: object = msgspec.json.decode(line)
    except _UNREADABLE as problem:
        raise JournalError(f"{path} is not a journal: its first line is not JSON") from problem
    if not isinstance(first, dict) or first.get("type") != "started":
        raise JournalError(f"{path} is not a journal: it does not begin with a started event")
    schema = first.get("schema")
    if not isinstance(schema, int) or schema > SCHEMA:
        raise JournalError(f"{path} has journal schema {schema}; this version of bylaw reads up to {SCHEMA}")
