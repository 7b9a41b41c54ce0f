"""Writes a pattern for RE2, over bytes: the same language, decided in a time that grows with the text alone.

Nothing of the author's spelling is passed on. Each set of characters becomes the set of bytes that stand for them,
so that RE2's own ideas of digits, blanks, case and newlines never come into play.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Protocol, assert_never

import re2

from bylaw.language.regex.alphabet import Alphabet, Extra
from bylaw.language.regex.nodes import (
    Anchor,
    Atomic,
    Capture,
    Char,
    Choice,
    Condition,
    Look,
    Node,
    Place,
    Reference,
    Repeat,
    Sequence,
    every,
)

NEVER: Final = r"[^\x00-\xff]"
ANCHORS: Final[dict[Place, str]] = {
    "start": r"\A",
    "end": r"\z",
    "final": r"(?m:$)",  # the text has its newlines hidden, but for one at its end
    "line_start": r"(?m:^)",
    "line_end": r"(?m:$)",
    "boundary": r"\b",
    "inside": r"\B",
}


def is_linear(tree: Node) -> bool:
    """Whether every part has a form that RE2 knows."""
    places = set()
    for node in every(tree):
        match node:
            case Look() | Reference() | Condition() | Atomic() | Repeat(possessive=True):
                return False
            case Anchor(place):
                places.add(place)
            case _:
                pass
    return not ("final" in places and places & {"line_start", "line_end"})


def spelled(node: Node, members: Callable[[Char], int]) -> str:
    """The pattern in RE2's words, with `members` as the bytes that stand for a set of characters."""
    match node:
        case Char():
            return byte_class(members(node))
        case Anchor(place):
            return ANCHORS[place]
        case Sequence(items):
            return "".join(spelled(item, members) for item in items)
        case Choice(options):
            return f"(?:{'|'.join(spelled(option, members) for option in options)})" if options else NEVER
        case Repeat(body, low, high):
            times = f"{{{low},{'' if high is None else high}}}" if low != high else f"{{{low}}}"
            return f"(?:{spelled(body, members)}){times}" if high != 0 else "(?:)"
        case Capture(body):
            return f"(?:{spelled(body, members)})"
        case Atomic() | Look() | Reference() | Condition():
            raise ValueError(f"RE2 has no form for {node}")
        case _:
            assert_never(node)


@lru_cache(maxsize=4096)
def byte_class(members: int) -> str:
    """A set of bytes, given as bits."""
    ranges: list[str] = []
    byte = 0
    while members >> byte:
        if members >> byte & 1:
            low = byte
            while members >> byte & 1:
                byte += 1
            ranges.append(f"\\x{low:02x}" if low == byte - 1 else f"\\x{low:02x}-\\x{byte - 1:02x}")
        byte += 1
    if len(ranges) == 1 and len(ranges[0]) == len(r"\x00"):
        return ranges[0]
    return f"[{''.join(ranges)}]" if ranges else NEVER


class Program(Protocol):
    """What RE2 makes of a form."""

    @property
    def programsize(self) -> int: ...

    @property
    def reverseprogramsize(self) -> int: ...

    def search(self, text: bytes, /) -> object: ...


def program(form: str) -> Program:
    """The form compiled; raises `re2.error` if it is too large for RE2."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.log_errors = False
    compiled: Program = re2.compile(form.encode("ascii"), options)
    return compiled


class LinearSearch:
    """A pattern that RE2 has accepted, with the alphabet that it is asked in."""

    def __init__(self, tree: Node, *, flags: int) -> None:
        self._tree = tree
        self._alphabet = Alphabet(tree, flags=flags)
        self._program = self._with(())
        self.size = max(self._program.programsize, self._program.reverseprogramsize)

    def search(self, text: str) -> bool | None:
        """Whether the pattern is found in the text, or None where the text can't be said in RE2's alphabet."""
        spelling = self._alphabet.spell(text)
        if spelling is None:
            return None
        found = self._with(spelling.extra) if spelling.extra else self._program
        return found.search(spelling.text) is not None

    def _with(self, extra: Extra) -> Program:
        return program(spelled(self._tree, lambda char: self._alphabet.members(char, extra)))


def linear_search(tree: Node, *, flags: int) -> LinearSearch | None:
    """The pattern for RE2, unless it has parts that RE2 doesn't know or is too large."""
    try:
        return LinearSearch(tree, flags=flags) if is_linear(tree) else None
    except re2.error:
        return None
