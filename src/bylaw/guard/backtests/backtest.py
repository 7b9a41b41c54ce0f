"""One pass over audit logs, with every call in them judged once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from bylaw.guard.audit.events import AuditAction
from bylaw.guard.audit.reading import NotAnEvent
from bylaw.guard.backtests.changes import (
    KINDS,
    Change,
    Difference,
    Example,
    Gathered,
    Kind,
    Undecided,
    differences,
    doubts_about,
    warning_differences,
)
from bylaw.guard.backtests.heard import Heard, hear, recorded, recorded_warnings
from bylaw.guard.backtests.judging import Judge
from bylaw.guard.backtests.records import Record, records
from bylaw.guard.backtests.report import Report, Unread
from bylaw.guard.backtests.standing import NOT_WARNED, Doubt
from bylaw.guard.backtests.tallies import MOST_RUNNING
from bylaw.policy import Policy

MOST_UNREAD_SHOWN = 10
UNDECIDED = "undecided"
_ALLOWED, _DENIED = AuditAction.CALL_ALLOWED, AuditAction.CALL_DENIED
_EXECUTED, _FAILED = AuditAction.CALL_EXECUTED, AuditAction.CALL_FAILED


def backtest(logs: Sequence[Path], *, new: Policy, old: Policy | None = None, examples: int = 3) -> Report:
    """Compares what `new` says of every call in the logs with what `old` says, or with what was decided then.

    Each file is read once, in the order given. Nothing is kept of a call but counts, a few examples, and its
    session's counters where a policy has limits.
    """
    run = _Run(new, old, examples=examples)
    for file in logs:
        run.read(file)
    return run.report(logs)


class _Noted(NamedTuple):
    """A call that has no outcome yet: whether its warnings can be compared, and how it counts so far."""

    comparable: bool
    changed: bool
    undecided: bool


_COMPARABLE, _NOT_COMPARABLE = _Noted(True, False, False), _Noted(False, False, False)


class _Run:
    def __init__(self, new: Policy, old: Policy | None, *, examples: int) -> None:
        self._versions = (new.version, None if old is None else old.version)
        self._new = Judge(new, others=() if old is None else (old,))
        self._old = None if old is None else Judge(old, others=(new,))
        self._gathered = Gathered(examples=examples)
        self._totals: Counter[Kind] = Counter()
        self._running: dict[str, _Noted] = {}
        self._unread: list[Unread] = []
        self._unread_lines: Counter[str] = Counter()
        self._events = self._calls = self._changed = self._undecided = self._either = self._orphans = 0
        self._file = ""

    def read(self, file: Path) -> None:
        self._file = str(file)
        for number, line in records(file):
            if isinstance(line, NotAnEvent):
                self._could_not_read(line)
                continue
            self._events += 1
            try:
                if line.action is _ALLOWED or line.action is _DENIED:
                    self._decided(line, number)
                elif line.action is _EXECUTED or line.action is _FAILED:
                    self._ended(line, number)
            except msgspec.MsgspecError as error:
                says = f"this is not an audit event: {error}"
                self._could_not_read(NotAnEvent(kind="junk", says=says, file=self._file, line=number))

    def _could_not_read(self, line: NotAnEvent) -> None:
        self._unread_lines[line.kind] += 1
        if len(self._unread) < MOST_UNREAD_SHOWN:
            self._unread.append(Unread(where=f"{line.file}:{line.line}", kind=line.kind, says=line.says))

    def _decided(self, record: Record, number: int) -> None:
        heard = hear(record)
        old = recorded(heard) if self._old is None else self._old.before(heard)
        new = self._new.before(heard)
        self._calls += 1
        noted = _COMPARABLE if old.allowed and new.allowed else _NOT_COMPARABLE
        if old is not new:
            noted = self._count(differences(old, new), doubts_about(old, new), heard, number, noted)
        if record.action is _ALLOWED:
            if len(self._running) >= MOST_RUNNING:
                del self._running[next(iter(self._running))]
            self._running[record.call_id] = noted

    def _ended(self, record: Record, number: int) -> None:
        failed = record.action is _FAILED
        self._new.ended(record.call_id, failed=failed)
        if self._old is not None:
            self._old.ended(record.call_id, failed=failed)
        noted = self._running.pop(record.call_id, None)
        if noted is None:
            self._orphans += 1
        elif noted.comparable and not failed:
            self._look_after(record, number, noted)

    def _look_after(self, record: Record, number: int, noted: _Noted) -> None:
        then = recorded_warnings(record) if self._old is None else NOT_WARNED
        if then is NOT_WARNED and not self._new.looks_after and not (self._old is not None and self._old.looks_after):
            return
        heard = hear(record, answer=record.result_summary)
        old = then if self._old is None else self._old.after(heard)
        new = self._new.after(heard)
        if old is not new:
            self._count(warning_differences(old, new), old.doubts + new.doubts, heard, number, noted)

    def _count(
        self, found: Iterable[Difference], doubts: Sequence[Doubt], heard: Heard, number: int, noted: _Noted
    ) -> _Noted:
        """A call counts once as changed and once as undecided, whatever is found about it and when."""
        example = partial(_example, heard, f"{self._file}:{number}")
        changed, undecided = noted.changed, noted.undecided
        for difference in found:
            self._totals[difference.kind] += 1
            self._gathered.add(*difference, example)
            changed = True
        for doubt in dict.fromkeys(doubts):
            self._gathered.add(UNDECIDED, doubt.contract, doubt.why, example)
            undecided = True
        self._changed += changed and not noted.changed
        self._undecided += undecided and not noted.undecided
        self._either += (changed or undecided) and not (noted.changed or noted.undecided)
        return _Noted(noted.comparable, changed, undecided)

    def report(self, files: Sequence[Path]) -> Report:
        new, old = self._versions
        return Report(
            new=new,
            old=old,
            files=tuple(map(str, files)),
            events=self._events,
            calls=self._calls,
            unchanged=self._calls - self._either,
            changed=self._changed,
            undecided=self._undecided,
            totals={kind: self._totals[kind] for kind in KINDS},
            changes=tuple(
                Change(kind=kind, contract=contract, now=now, count=count, examples=examples)
                for kind in KINDS
                for contract, now, count, examples in self._gathered.of(kind)
            ),
            undecided_because=tuple(
                Undecided(contract=contract, why=why, count=count, examples=examples)
                for contract, why, count, examples in self._gathered.of(UNDECIDED)
            ),
            unread_lines=dict(self._unread_lines),
            unread=tuple(self._unread),
            orphans=self._orphans,
        )


def _example(heard: Heard, where: str) -> Example:
    record = heard.record
    return Example(
        at=record.timestamp,
        tool=record.tool_name,
        args=heard.call.args,
        call_id=record.call_id,
        session_id=record.session,
        where=where,
    )
