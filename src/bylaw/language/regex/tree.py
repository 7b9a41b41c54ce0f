"""Reads a pattern with Python's own parser, so that what it means is never a second opinion."""

import re
import re._constants as sre  # type: ignore[import-not-found]  # no stubs for the parser that `re` itself uses
import re._parser as parser  # type: ignore[import-not-found]  # as above
from collections.abc import Callable, Iterable
from typing import Any, Final

from bylaw.language.regex.nodes import (
    EMPTY,
    Anchor,
    Atomic,
    Capture,
    Category,
    Char,
    Choice,
    Condition,
    Look,
    Node,
    Place,
    Reference,
    Repeat,
    Sequence,
)

Op = tuple[Any, Any]
"""A parser's node: an opcode and an argument whose type depends on the opcode."""

CHAR_FLAGS: Final = int(re.IGNORECASE | re.ASCII | re.DOTALL)
"""The flags that change which character a single-character pattern matches."""

CATEGORIES: Final[dict[object, Category]] = {
    sre.CATEGORY_DIGIT: "d",
    sre.CATEGORY_NOT_DIGIT: "D",
    sre.CATEGORY_SPACE: "s",
    sre.CATEGORY_NOT_SPACE: "S",
    sre.CATEGORY_WORD: "w",
    sre.CATEGORY_NOT_WORD: "W",
}
PLACES: Final[dict[object, tuple[Place, Place]]] = {  # without and with MULTILINE
    sre.AT_BEGINNING: ("start", "line_start"),
    sre.AT_BEGINNING_STRING: ("start", "start"),
    sre.AT_END: ("final", "line_end"),
    sre.AT_END_STRING: ("end", "end"),
    sre.AT_BOUNDARY: ("boundary", "boundary"),
    sre.AT_NON_BOUNDARY: ("inside", "inside"),
}


def parse(source: str, flags: int) -> Node:
    """The tree of a pattern that `re` has accepted."""
    parsed = parser.parse(source, flags)
    return _sequence(parsed, parsed.state.flags)


def _sequence(ops: Iterable[Op], flags: int) -> Node:
    items = tuple(_READERS[op](argument, flags) for op, argument in ops)
    return items[0] if len(items) == 1 else Sequence(items)


def _literal(code: int, flags: int) -> Node:
    return Char(_spell(code), flags & CHAR_FLAGS, ranges=((code, code),))


def _not_literal(code: int, flags: int) -> Node:
    return Char(f"[^{_spell(code)}]", flags & CHAR_FLAGS, ranges=((code, code),), negated=True)


def _any(_: None, flags: int) -> Node:
    return Char(".", flags & CHAR_FLAGS, ranges=() if flags & re.DOTALL else ((10, 10),), negated=True)


def _in(members: list[Op], flags: int) -> Node:
    ranges: list[tuple[int, int]] = []
    categories: list[Category] = []
    spelled: list[str] = []
    negated = False
    for op, argument in members:
        if op is sre.NEGATE:
            negated = True
        elif op is sre.CATEGORY:
            categories.append(CATEGORIES[argument])
            spelled.append(f"\\{CATEGORIES[argument]}")
        else:
            low, high = argument if op is sre.RANGE else (argument, argument)
            ranges.append((low, high))
            spelled.append(_spell(low) if low == high else f"{_spell(low)}-{_spell(high)}")
    source = f"[{'^' if negated else ''}{''.join(spelled)}]"
    return Char(source, flags & CHAR_FLAGS, tuple(ranges), tuple(categories), negated)


def _at(code: object, flags: int) -> Node:
    return Anchor(PLACES[code][bool(flags & re.MULTILINE)], ascii=bool(flags & re.ASCII))


def _branch(argument: tuple[None, list[Iterable[Op]]], flags: int) -> Node:
    return Choice(tuple(_sequence(option, flags) for option in argument[1]))


def _subpattern(argument: tuple[int | None, int, int, Iterable[Op]], flags: int) -> Node:
    group, added, removed, ops = argument
    if added & parser.TYPE_FLAGS:
        flags &= ~parser.TYPE_FLAGS
    body = _sequence(ops, (flags | added) & ~removed)
    return body if group is None else Capture(body)


def _repeat(argument: tuple[int, int, Iterable[Op]], flags: int) -> Node:
    low, high, ops = argument
    return Repeat(_sequence(ops, flags), low, None if high is sre.MAXREPEAT else high)


def _possessive_repeat(argument: tuple[int, int, Iterable[Op]], flags: int) -> Node:
    low, high, ops = argument
    return Repeat(_sequence(ops, flags), low, None if high is sre.MAXREPEAT else high, possessive=True)


def _look(argument: tuple[int, Any], flags: int, *, negative: bool) -> Node:
    direction, ops = argument
    return Look(_sequence(ops, flags), None if direction > 0 else ops.getwidth()[0], negative)


def _condition(argument: tuple[int, Iterable[Op], Iterable[Op] | None], flags: int) -> Node:
    _, yes, no = argument
    return Condition(_sequence(yes, flags), EMPTY if no is None else _sequence(no, flags))


def _spell(code: int) -> str:
    return f"\\U{code:08x}"


_READERS: Final[dict[object, Callable[[Any, int], Node]]] = {
    sre.LITERAL: _literal,
    sre.NOT_LITERAL: _not_literal,
    sre.ANY: _any,
    sre.IN: _in,
    sre.AT: _at,
    sre.BRANCH: _branch,
    sre.SUBPATTERN: _subpattern,
    sre.MAX_REPEAT: _repeat,
    sre.MIN_REPEAT: _repeat,
    sre.POSSESSIVE_REPEAT: _possessive_repeat,
    sre.ATOMIC_GROUP: lambda ops, flags: Atomic(_sequence(ops, flags)),
    sre.ASSERT: lambda argument, flags: _look(argument, flags, negative=False),
    sre.ASSERT_NOT: lambda argument, flags: _look(argument, flags, negative=True),
    sre.FAILURE: lambda _, __: Choice(()),
    sre.GROUPREF: lambda _, __: Reference(),
    sre.GROUPREF_EXISTS: _condition,
}
