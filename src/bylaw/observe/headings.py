"""The comments that a draft begins with, found in a file that people have been at since."""

from __future__ import annotations

from collections.abc import Sequence

from bylaw.observe.writing import MARK


def without_heading(text: str) -> str:
    return with_heading(text, ())


def with_heading(text: str, lines: Sequence[str]) -> str:
    """The text with these comments in the place of those it had, or at its beginning; others stay where they are."""
    given = text.splitlines(keepends=True)
    top = next((number for number, line in enumerate(given) if not _may_stand_before(line)), len(given))
    ours = [number for number in range(top) if given[number].startswith(MARK)]
    newline = "\r\n" if "\r\n" in text else "\n"
    kept = [line for number, line in enumerate(given) if number not in ours]
    place = ours[0] if ours else 0
    return "".join([*kept[:place], *(f"{line}{newline}" for line in lines), *kept[place:]])


def _may_stand_before(line: str) -> bool:
    said = line.strip()
    return not said or said.startswith(("#", "---", "%"))
