"""Which actual calls serve which expected ones: each actual call serves at most one."""

from __future__ import annotations

from collections.abc import Sequence

Fits = Sequence[Sequence[int]]
"""For each expected entry, the actual calls that would serve it, in order."""


def match_any(fits: Fits) -> list[int | None]:
    """A maximum matching, by augmenting paths; for each expected entry the call that serves it."""
    firsts = _firsts(fits)
    if firsts is not None:
        return [*firsts]
    serves: dict[int, int] = {}
    for expected in range(len(fits)):
        _augment(expected, fits, serves)
    found: list[int | None] = [None] * len(fits)
    for actual, expected in serves.items():
        found[expected] = actual
    return found


def _firsts(fits: Fits) -> list[int] | None:
    """The first call of each entry, where no two entries share one: then nothing is left to be chosen."""
    firsts = [row[0] for row in fits if row]
    return firsts if len(set(firsts)) == len(fits) else None


def _augment(start: int, fits: Fits, serves: dict[int, int]) -> None:
    """Finds a path from an unserved entry to a free call, breadth first, and turns every choice on it around."""
    came_from: dict[int, int] = {}
    queue = [start]
    for expected in queue:
        for actual in fits[expected]:
            if actual in came_from:
                continue
            came_from[actual] = expected
            if actual not in serves:
                _turn(actual, start, came_from, serves)
                return
            queue.append(serves[actual])


def _turn(actual: int, start: int, came_from: dict[int, int], serves: dict[int, int]) -> None:
    while True:
        expected = came_from[actual]
        previous = next((call for call, entry in serves.items() if entry == expected), None)
        serves[actual] = expected
        if expected == start or previous is None:
            return
        actual = previous


def match_ordered(fits: Fits, calls: int) -> list[int | None]:
    """The longest matching in which served entries and their calls come in the same order."""
    firsts = _firsts(fits)
    if firsts is not None and firsts == sorted(firsts):
        return [*firsts]
    rows = [frozenset(row) for row in fits]
    best = [[0] * (calls + 1) for _ in range(len(rows) + 1)]
    for i in range(len(rows) - 1, -1, -1):
        for j in range(calls - 1, -1, -1):
            taken = 1 + best[i + 1][j + 1] if j in rows[i] else 0
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    found: list[int | None] = [None] * len(rows)
    i = j = 0
    while i < len(rows) and j < calls:
        if j in rows[i] and best[i][j] == 1 + best[i + 1][j + 1]:
            found[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found
