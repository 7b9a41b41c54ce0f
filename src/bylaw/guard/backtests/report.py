"""What a backtest found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from bylaw.guard.backtests.changes import Change, Kind, Undecided

SCHEMA = 1


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A line from which no event could be had."""

    where: str
    kind: Literal["lost", "deleted", "cut", "junk"]
    says: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a policy would change on recorded calls.

    `old` is the version it was compared with, None where that was what the log says was decided. `totals` and
    `changes` count a call once for everything about it that changes; `changed`, `undecided` and `unchanged` count
    calls, and one that changes in one respect may be undecided in another. `unread` has the first of the lines that
    gave no event, `unread_lines` counts all of them. `orphans` are outcomes of calls that began before the log does.
    """

    schema: int = SCHEMA
    new: str
    old: str | None
    files: tuple[str, ...]
    events: int
    calls: int
    unchanged: int
    changed: int
    undecided: int
    totals: Mapping[Kind, int]
    changes: tuple[Change, ...]
    undecided_because: tuple[Undecided, ...]
    unread_lines: Mapping[str, int]
    unread: tuple[Unread, ...]
    orphans: int

    @property
    def complete(self) -> bool:
        """Whether every call that there was could be compared; where there was none, nothing was."""
        missing = sum(count for kind, count in self.unread_lines.items() if kind != "deleted")
        return self.calls > 0 and not self.undecided and not missing
