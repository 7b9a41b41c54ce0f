"""Whether a pattern is found in every text."""

from typing import assert_never

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
    shortest,
)

Where = frozenset[str]
"""The ends of a text (`start`, `end`) at which a part surely matches the empty string, whatever the text."""

NOWHERE: Where = frozenset()
"""The part needs a character, or something that not every text has."""

AT_START: Where = frozenset({"start"})
AT_END: Where = frozenset({"end"})
ANYWHERE: Where = AT_START | AT_END


def always_matches(tree: Node) -> bool:
    """True for `a*`, `^` and `x|$`; false for `^$` and `\\b`, which not every text has."""
    return bool(empty_at(tree))


def empty_at(node: Node) -> Where:
    match node:
        case Char() | Reference() | Condition():
            return NOWHERE
        case Anchor(place):
            if place in ("start", "line_start"):
                return AT_START
            return AT_END if place in ("end", "final", "line_end") else NOWHERE
        case Sequence(items):
            return ANYWHERE.intersection(*map(empty_at, items))
        case Choice(options):
            return NOWHERE.union(*map(empty_at, options))
        case Repeat(body, low, _, possessive):
            where = ANYWHERE if low == 0 else empty_at(body)
            return where & AT_END if possessive else where
        case Capture(body):
            return empty_at(body)
        case Atomic(body):
            return empty_at(body) & AT_END  # elsewhere it may take a character and keep it
        case Look(body, behind, negative):
            return _look(body, behind, negative=negative)
        case _:
            assert_never(node)


def _look(body: Node, behind: int | None, *, negative: bool) -> Where:
    """A negative look-around holds where there is no character left for it to see."""
    if not negative:
        return empty_at(body)
    if shortest(body) == 0:
        return NOWHERE
    return AT_END if behind is None else AT_START
