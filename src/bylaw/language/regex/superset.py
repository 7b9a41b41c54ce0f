"""A pattern for RE2 that is found at least wherever the given one is: cheap to ask of hundreds at once.

It is read over the UTF-8 bytes of a text. What RE2 can't say is left out or loosened: anchors and look-around hold
everywhere, a character beyond ASCII is any run of bytes beyond ASCII, long repeats are endless ones.
"""

from __future__ import annotations

from typing import Final, assert_never

from bylaw.language.regex.charset import BEYOND, matched
from bylaw.language.regex.linear import NEVER, byte_class
from bylaw.language.regex.nodes import (
    Anchor,
    Atomic,
    Capture,
    Char,
    Choice,
    Condition,
    Look,
    Node,
    Reference,
    Repeat,
    Sequence,
)

_ASCII: Final = (1 << 128) - 1
_LATIN1_BEYOND_ASCII: Final = ((1 << 256) - 1) & ~_ASCII
_FOREIGN: Final = r"[\x80-\xff]+"
_LONG: Final = 8


def superset(node: Node) -> str:
    match node:
        case Char():
            return _char(node)
        case Anchor() | Look():
            return ""
        case Reference():
            return r"(?s:.*)"
        case Sequence(items):
            return "".join(map(superset, items))
        case Choice(options):
            return f"(?:{'|'.join(map(superset, options))})" if options else NEVER
        case Condition(yes, no):
            return f"(?:{superset(yes)}|{superset(no)})"
        case Repeat(body, low, high):
            return f"(?:{superset(body)}){_times(low, high)}"
        case Capture(body) | Atomic(body):
            return f"(?:{superset(body)})"
        case _:
            assert_never(node)


def _char(char: Char) -> str:
    members = matched(char)
    plain = members & _ASCII
    if not members & (BEYOND | _LATIN1_BEYOND_ASCII):
        return byte_class(plain)
    return f"(?:{byte_class(plain)}|{_FOREIGN})" if plain else _FOREIGN


def _times(low: int, high: int | None) -> str:
    least = min(low, _LONG)
    return f"{{{least},}}" if high is None or high > _LONG else f"{{{least},{high}}}"
