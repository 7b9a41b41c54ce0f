"""Cells that carry a row and a column, laid out as a table that reads without colour."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.cells import cell_len

from bylaw.journal import CellJudged
from bylaw.report.safe_text import shorten
from bylaw.report.standing import Standing, standing, telling, worst_outcome
from bylaw.verdict import Outcome


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a place of the table."""

    word: str
    standing: Standing
    legend: str = ""


OBSERVED = "(...): observed only, does not count"

# From the mildest to the worst: where cells share a place in the table, the worst is shown.
MARKS = (
    Mark(word="-", standing=Standing.not_applicable, legend="-: not judged"),
    Mark(word="n-a", standing=Standing.not_applicable, legend="n-a: does not apply"),
    Mark(word="pass", standing=Standing.passed),
    Mark(word="(pass)", standing=Standing.observed, legend=OBSERVED),
    Mark(word="pass*", standing=Standing.passed, legend="pass*: held, though not on every trial"),
    Mark(word="(not-ex)", standing=Standing.observed, legend=OBSERVED),
    Mark(word="(error)", standing=Standing.observed, legend=OBSERVED),
    Mark(word="(FAIL)", standing=Standing.observed, legend=OBSERVED),
    Mark(word="not-ex", standing=Standing.not_exercised, legend="not-ex: never came into play"),
    Mark(word="error", standing=Standing.error, legend="error: could not be judged"),
    Mark(word="FAIL", standing=Standing.failed),
)
_PLACE = {mark.word: place for place, mark in enumerate(MARKS)}
_PASS = _PLACE["pass"]
_OBSERVED = {
    Outcome.failed: "(FAIL)",
    Outcome.error: "(error)",
    Outcome.not_exercised: "(not-ex)",
    Outcome.passed: "(pass)",
    Outcome.not_applicable: "n-a",
    None: "(not-ex)",
}
_JUDGED = {
    Standing.failed: "FAIL",
    Standing.error: "error",
    Standing.not_exercised: "not-ex",
    Standing.not_applicable: "n-a",
    Standing.passed: "pass",
}
_TO_OBSERVED = {
    "pass": "(pass)",
    "pass*": "(pass)",
    "FAIL": "(FAIL)",
    "error": "(error)",
    "not-ex": "(not-ex)",
}
GAP = 2
ROWS_SHOWN_IN_FULL = 30
NARROWEST_ROW_NAME = 16


def in_matrix(event: CellJudged) -> bool:
    return "row" in event.labels and "column" in event.labels


def _mark(event: CellJudged) -> int:
    stands = standing(event)
    if stands is Standing.observed:
        return _PLACE[_OBSERVED[worst_outcome(event)]]
    if stands is Standing.passed and telling(event):
        return _PLACE["pass*"]
    return _PLACE[_JUDGED[stands]]


class Matrix:
    """A byte per cell: a table as large as what was judged, and no larger."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._rows: dict[str, bytearray] = {}

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add(self, event: CellJudged) -> None:
        column = self._columns.setdefault(event.labels["column"], len(self._columns))
        row = self._rows.setdefault(event.labels["row"], bytearray())
        row.extend(bytes(max(0, column + 1 - len(row))))
        row[column] = max(row[column], _mark(event))

    def observe(self) -> None:
        """Nothing in this table counts after all."""
        table = bytes(_PLACE[_TO_OBSERVED.get(mark.word, mark.word)] for mark in MARKS) + bytes(256 - len(MARKS))
        self._rows = {name: marks.translate(table) for name, marks in self._rows.items()}

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def rows(self) -> Iterator[tuple[str, tuple[Mark, ...]]]:
        width = len(self._columns)
        for name, marks in self._rows.items():
            yield name, tuple(MARKS[place] for place in marks.ljust(width, b"\0"))

    def shown(self, *, everything: bool) -> tuple[list[tuple[str, tuple[Mark, ...]]], int]:
        """The rows worth a line, and how many were left out because all of them passed."""
        rows = list(self.rows())
        if everything or len(rows) <= ROWS_SHOWN_IN_FULL:
            return rows, 0
        telling_rows = [(name, marks) for name, marks in rows if any(mark is not MARKS[_PASS] for mark in marks)]
        return telling_rows, len(rows) - len(telling_rows)


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How a table fits: the width of row names, and blocks of columns as (heading, width, place).

    Where the columns' own names don't fit, they are numbered and `key` says what the numbers mean.
    """

    name_width: int
    blocks: tuple[tuple[tuple[str, int, int], ...], ...]
    key: tuple[str, ...] = ()


def lay_out(rows: list[str], columns: list[str], *, width: int, mark_width: int, mark: str = "…") -> Layout:
    """Names are safe already: `rows` and `columns` are what will be printed."""
    longest = max((cell_len(row) for row in rows), default=0)
    headed = [(name, max(cell_len(name), mark_width), place) for place, name in enumerate(columns)]
    if longest + sum(GAP + wide for _, wide, _ in headed) <= width:
        return Layout(name_width=longest, blocks=(tuple(headed),))
    numbered = [(str(place + 1), max(mark_width, len(str(len(columns)))), place) for place in range(len(columns))]
    column_width = GAP + numbered[0][1]
    name_width = min(longest, max(NARROWEST_ROW_NAME, width - column_width * len(columns)))
    per_block = max(1, (width - name_width) // column_width)
    return Layout(
        name_width=name_width,
        blocks=tuple(tuple(numbered[at : at + per_block]) for at in range(0, len(numbered), per_block)),
        key=_key(columns, width=width, mark=mark),
    )


def _key(columns: list[str], *, width: int, mark: str) -> tuple[str, ...]:
    """Numbers and names, side by side as far as they fit."""
    digits = len(str(len(columns)))
    entries = [shorten(f"{number:>{digits}} {name}", width, mark=mark) for number, name in enumerate(columns, 1)]
    widest = max(cell_len(entry) for entry in entries) + GAP
    per_line = max(1, (width + GAP) // widest)
    padded = [entry + " " * (widest - cell_len(entry)) for entry in entries]
    return tuple("".join(padded[at : at + per_line]).rstrip() for at in range(0, len(padded), per_line))
