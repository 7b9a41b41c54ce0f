"""Traffic through a real guard into a real audit log, and what a backtest makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from bylaw.guard.audit import FileSink
from bylaw.guard.backtests import Report, backtest
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.loading import load_bundles
from bylaw.policy import Policy


class Asked(msgspec.Struct, frozen=True):
    """A call to be made; `fails` where the tool raises."""

    tool: str
    args: dict[str, Any] = {}
    session: str = "s"
    role: str | None = None
    claims: dict[str, Any] = {}
    output: Any = "done"
    fails: bool = False

    @property
    def principal(self) -> dict[str, Any]:
        return {"claims": self.claims} | ({} if self.role is None else {"role": self.role})


class ToolFailed(Exception):
    """What a tool raises here."""


def play(guard: Guard, calls: Sequence[Asked]) -> list[Denied | None]:
    """Makes the calls one after another, with ids `c0`, `c1` and on, and gives how each was denied."""
    return [_play(guard, call, number) for number, call in enumerate(calls)]


def _play(guard: Guard, call: Asked, number: int) -> Denied | None:
    def tool(**_: Any) -> Any:
        if call.fails:
            raise ToolFailed
        return call.output

    try:
        with suppress(ToolFailed):  # a tool's own failure is the guard's caller's business
            guard.run_sync(
                call.tool, call.args, tool, session_id=call.session, principal=call.principal, call_id=f"c{number}"
            )
    except Denied as denied:
        return denied
    return None


def record(path: Path, text: str, calls: Sequence[Asked], **options: Any) -> Path:
    """The audit log of the calls under a bundle."""
    guard = Guard.from_text(text, audit_sink=FileSink(path), **options)
    try:
        play(guard, calls)
    finally:
        guard.close()
    return path


def policy(text: str) -> Policy:
    return load_bundles([text], mode=None).policy


def compared(log: Path, new: str, *, old: str | None = None, examples: int = 1_000) -> Report:
    return backtest([log], new=policy(new), old=None if old is None else policy(old), examples=examples)


def found(report: Report) -> list[tuple[str, str, int]]:
    """Every change as its kind, its contract and its count."""
    return [(change.kind, change.contract, change.count) for change in report.changes]


def calls_that(report: Report, kind: str) -> set[str]:
    return {example.call_id for change in report.changes if change.kind == kind for example in change.examples}


def undecided_calls(report: Report) -> set[str]:
    return {example.call_id for entry in report.undecided_because for example in entry.examples}
