"""Two standings of a call compared, and what that comes to over all calls: counts, and the first few as examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from bylaw.guard.backtests.standing import Doubt, Standing, Warned

Kind = Literal["loosened", "tightened", "moved", "observed", "unobserved", "warned", "unwarned"]
KINDS: tuple[Kind, ...] = ("loosened", "tightened", "moved", "observed", "unobserved", "warned", "unwarned")
"""In the order in which they matter: what was denied and now is allowed comes first."""

MOST_ENTRIES = 1_000
"""Of each kind. Names come out of the log, too, and must not fill the memory."""

OTHERS = "(others)"


class Difference(NamedTuple):
    """What is other than it was, and for which contract; `now` is the one that denies instead."""

    kind: Kind
    contract: str
    now: str = ""


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded call, with its arguments as they were redacted."""

    at: str
    tool: str
    args: Mapping[str, Any]
    call_id: str
    session_id: str
    where: str


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that changes. `now` is there where another contract denies what this one did."""

    kind: Kind
    contract: str
    now: str = ""
    count: int
    examples: tuple[Example, ...]


class Undecided(msgspec.Struct, frozen=True, kw_only=True):
    """A contract that could not be judged on some calls, and why."""

    contract: str
    why: str
    count: int
    examples: tuple[Example, ...]


class Gathered:
    """Counts by kind and name, each with the first few examples."""

    def __init__(self, *, examples: int) -> None:
        self._most_examples = examples
        self._counts: dict[tuple[str, str, str], int] = {}
        self._examples: dict[tuple[str, str, str], list[Example]] = {}
        self._of_kind: Counter[str] = Counter()

    def add(self, kind: str, name: str, other: str, example: Callable[[], Example]) -> None:
        key = (kind, name, other)
        if key not in self._counts:
            if self._of_kind[kind] >= MOST_ENTRIES:
                key = (kind, OTHERS, "")
            self._of_kind[kind] += 1
        self._counts[key] = self._counts.get(key, 0) + 1
        shown = self._examples.setdefault(key, [])
        if len(shown) < self._most_examples:
            shown.append(example())

    def of(self, kind: str) -> Iterator[tuple[str, str, int, tuple[Example, ...]]]:
        """The most frequent first."""
        found = [(key, count) for key, count in self._counts.items() if key[0] == kind]
        for key, count in sorted(found, key=lambda each: -each[1]):
            yield key[1], key[2], count, tuple(self._examples[key])


def doubts_about(old: Standing, new: Standing) -> tuple[Doubt, ...]:
    """What keeps a call from being compared."""
    unknown = old.observed_doubts + new.observed_doubts
    if old.allowed is None or new.allowed is None or not (old.allowed or new.allowed):
        unknown += old.doubts + new.doubts
    return unknown


def differences(old: Standing, new: Standing) -> Iterator[Difference]:
    """What is known to differ; of a call whose decision is not known, nothing."""
    if old is new or old.allowed is None or new.allowed is None:
        return
    if not old.allowed and new.allowed:
        yield Difference("loosened", old.contract)
    elif old.allowed and not new.allowed:
        yield Difference("tightened", new.contract)
    elif old.contract != new.contract and not (old.doubts or new.doubts):
        yield Difference("moved", old.contract, new.contract)
    if old.observed != new.observed:
        doubtful = {doubt.contract for doubt in old.observed_doubts + new.observed_doubts}
        yield from _set_differences(
            "observed", "unobserved", old.observed, new.observed, besides={old.contract, new.contract} | doubtful
        )


def warning_differences(old: Warned, new: Warned) -> Iterator[Difference]:
    if old == new:
        return
    doubtful = {doubt.contract for doubt in old.doubts + new.doubts}
    yield from _set_differences("warned", "unwarned", old.warned, new.warned, besides=doubtful)
    moved = {*old.warned, *new.warned}
    yield from _set_differences("observed", "unobserved", old.observed, new.observed, besides=moved | doubtful)


def _set_differences(
    more: Kind, less: Kind, old: tuple[str, ...], new: tuple[str, ...], *, besides: set[str]
) -> Iterator[Difference]:
    for name in new:
        if name not in old and name not in besides:
            yield Difference(more, name)
    for name in old:
        if name not in new and name not in besides:
            yield Difference(less, name)
