"""What a pattern is made of, once its flags have been applied to each of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, assert_never

import msgspec

IGNORECASE: Final = int(re.IGNORECASE)
ASCII: Final = int(re.ASCII)

Category = Literal["d", "D", "s", "S", "w", "W"]
Place = Literal["start", "end", "final", "line_start", "line_end", "boundary", "inside"]
"""`final` is Python's plain `$`: the end, or before a newline that ends the text. `inside` is `\\B`."""


class Char(msgspec.Struct, frozen=True):
    """One character out of a set, spelled as a one-character pattern that means the same."""

    source: str
    flags: int
    ranges: tuple[tuple[int, int], ...] = ()
    categories: tuple[Category, ...] = ()
    negated: bool = False

    @property
    def folds(self) -> bool:
        """Whether it ignores case."""
        return bool(self.flags & IGNORECASE)

    @property
    def ascii(self) -> bool:
        """Whether its categories are those of ASCII."""
        return bool(self.flags & ASCII)


class Anchor(msgspec.Struct, frozen=True):
    """A place between characters; `ascii` says which word characters a boundary sees."""

    place: Place
    ascii: bool = False


class Sequence(msgspec.Struct, frozen=True):
    """Its items one after another; no items match the empty string."""

    items: tuple[Node, ...]


class Choice(msgspec.Struct, frozen=True):
    """Any of its options; no options never match."""

    options: tuple[Node, ...]


class Repeat(msgspec.Struct, frozen=True):
    """`low` to `high` times its body, without an upper end where `high` is None."""

    body: Node
    low: int
    high: int | None
    possessive: bool = False

    @property
    def of_group(self) -> bool:
        """Whether `re` must remember each pass, as it need not for a single character."""
        return not isinstance(self.body, Char)


class Capture(msgspec.Struct, frozen=True):
    """A group that remembers what it matched."""

    body: Node


class Atomic(msgspec.Struct, frozen=True):
    """A group that gives nothing back once it has matched."""

    body: Node


class Look(msgspec.Struct, frozen=True):
    """A look-around: its body must (or must not) match here, and consumes nothing."""

    body: Node
    behind: int | None
    negative: bool


class Reference(msgspec.Struct, frozen=True):
    """The text that an earlier group matched, once more."""


class Condition(msgspec.Struct, frozen=True):
    """One of two ways, by whether an earlier group took part."""

    yes: Node
    no: Node


Node = Char | Anchor | Sequence | Choice | Repeat | Capture | Atomic | Look | Reference | Condition

EMPTY = Sequence(())


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Sequence(items):
            return items
        case Choice(options):
            return options
        case Repeat(body=body) | Capture(body) | Atomic(body) | Look(body=body):
            return (body,)
        case Condition(yes, no):
            return (yes, no)
        case Char() | Anchor() | Reference():
            return ()


def every(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(children(current))


def shortest(node: Node) -> int:
    """The fewest characters that a part can consume."""
    match node:
        case Char():
            return 1
        case Sequence(items):
            return sum(map(shortest, items))
        case Choice(options):
            return min(map(shortest, options), default=0)
        case Condition(yes, no):
            return min(shortest(yes), shortest(no))
        case Repeat(body, low, _):
            return low * shortest(body)
        case Capture(body) | Atomic(body):
            return shortest(body)
        case Anchor() | Look() | Reference():
            return 0
        case _:
            assert_never(node)
