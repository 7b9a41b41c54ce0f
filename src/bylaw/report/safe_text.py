"""Text that agents, tools and models wrote, made safe to show: nothing hides, moves the cursor or changes colour."""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells

# Controls of every kind, what is invisible, what turns the reading direction around, halves of surrogate pairs.
# Zero-width joiners stay: scripts and emoji need them.
_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LINE_END = re.compile("\r\n|\r|\n")


def visible(text: str, *, keep: str = "") -> str:
    """Every hidden character as an escape one can read, but for those in `keep`."""

    def escape(found: re.Match[str]) -> str:
        character = found[0]
        if character in keep:
            return character
        if character in _NAMED:
            return _NAMED[character]
        return character.encode("unicode-escape").decode()

    return _HIDDEN.sub(escape, text)


def printable(text: str, *, encoding: str) -> str:
    """What the encoding can't hold becomes an escape instead of an exception."""
    return text.encode(encoding, "backslashreplace").decode(encoding)


def ellipsis(encoding: str) -> str:
    return "…" if printable("…", encoding=encoding) == "…" else "..."


def shorten(text: str, cells: int, *, mark: str = "…") -> str:
    """At most that many columns of a terminal; `mark` says that something was left out."""
    if cell_len(text) <= cells:
        return text
    return chop_cells(text, max(1, cells - cell_len(mark)))[0].rstrip() + mark


def safe_line(text: str, *, cells: int, encoding: str = "utf-8") -> str:
    """One line of at most `cells` columns. However long the text is, only its beginning is looked at."""
    beginning = text[: 4 * cells]
    mark = ellipsis(encoding)
    shown = printable(visible(beginning), encoding=encoding)
    if len(beginning) < len(text):
        shown = shorten(shown, cells - cell_len(mark), mark="") + mark
    return shorten(shown, cells, mark=mark)


def first_lines(text: str, *, count: int, characters: int) -> tuple[list[str], bool]:
    """The first lines of a text, not yet made safe, and whether anything follows them."""
    beginning = text[:characters]
    lines = _LINE_END.split(beginning.strip("\r\n"))
    return lines[:count], len(lines) > count or len(beginning) < len(text)
