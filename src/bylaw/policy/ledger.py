"""Counters of a session: places are taken all at once or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Protocol

import msgspec


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What taking came to: the counts that now stand, and the counter that was full, if one was."""

    counts: tuple[int, ...]
    full: str | None = None


class Ledger(Protocol):
    def take(self, wanted: Sequence[tuple[str, int | None]], /) -> Taken:
        """Adds one to every counter, or to none if one of them is at its limit; None is no limit."""
        ...

    def give_back(self, counters: Sequence[str], /) -> None: ...


class MemoryLedger:
    """One session's counters in this process."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = Lock()

    def take(self, wanted: Sequence[tuple[str, int | None]], /) -> Taken:
        with self._lock:
            counts = tuple(self._counts.get(counter, 0) for counter, _ in wanted)
            for (counter, limit), count in zip(wanted, counts, strict=True):
                if limit is not None and count >= limit:
                    return Taken(counts=counts, full=counter)
            for counter, _ in wanted:
                self._counts[counter] = self._counts.get(counter, 0) + 1
            return Taken(counts=tuple(count + 1 for count in counts))

    def give_back(self, counters: Sequence[str], /) -> None:
        with self._lock:
            for counter in counters:
                self._counts[counter] = max(0, self._counts.get(counter, 0) - 1)
