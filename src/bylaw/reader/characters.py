"""Characters that make a file say something else than its reviewers see.

YAML ends a line at three characters where editors and diffs do not, so a key can hide behind what looks like a
comment. Others take no room, or turn the reading direction around.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from bylaw.errors import Span
from bylaw.reader.problems import Problems

_ODD_BREAKS = "\x85\u2028\u2029"
_ODD_BREAK = re.compile(f"[{_ODD_BREAKS}]")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]|(?<!\\A)\ufeff")
_AS_BLANKS = str.maketrans(_ODD_BREAKS, " " * len(_ODD_BREAKS))
_MOST_TOLD = 20


def refuse_hidden(text: str, *, file: str, problems: Problems) -> str:
    """The text with its odd line breaks as blanks, so that lines and columns count as in an editor."""
    if text.isascii():
        return text
    for where, character in islice(_first_of_lines(_INVISIBLE, text, file), _MOST_TOLD):
        problems.add(
            "invisible-character",
            f"U+{ord(character):04X} stands here, which nobody sees",
            where,
            hint=f"remove it, or write it as {_escape(character)} in double quotes",
            level="warning",
        )
    for where, character in islice(_first_of_lines(_ODD_BREAK, text, file), _MOST_TOLD):
        problems.add(
            "odd-line-break",
            f"U+{ord(character):04X} ends a line in YAML, and in no editor or diff",
            where,
            hint=f"remove it, or write it as {_escape(character)} in double quotes",
        )
    return text.translate(_AS_BLANKS)


def place(file: str, text: str, index: int) -> Span:
    """Where a character stands, with lines as the reader of an ordinary file counts them."""
    line = text.count("\n", 0, index) + 1
    return Span(file=file, line=line, column=index - text.rfind("\n", 0, index), start=index, end=index)


def _first_of_lines(pattern: re.Pattern[str], text: str, file: str) -> Iterator[tuple[Span, str]]:
    """The first on each line: a page in a script that needs some must not drown everything else."""
    found = pattern.search(text)
    while found is not None:
        where = place(file, text, found.start())
        yield msgspec.structs.replace(where, end=found.end()), found[0]
        next_line = text.find("\n", found.end())
        found = None if next_line < 0 else pattern.search(text, next_line)


def _escape(character: str) -> str:
    return f"`\\u{ord(character):04x}`"
