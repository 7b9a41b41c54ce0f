"""How much work `re` can need to search a text with a pattern, as a bound that grows with the text's length.

Every step of the search belongs to a way that leads from some start to some place in the pattern and the text. The
ways to a place are counted twice, onwards from all starts and backwards from the place, and the smaller number holds:
`DROP\\s+TABLE` can begin anywhere, but only one beginning leads to a given blank.
"""

import re
from typing import Final, Self, assert_never

import msgspec

from bylaw.language.regex.charset import EVERYTHING, matched
from bylaw.language.regex.growth import LINEAR, ONE, ZERO, Growth, least
from bylaw.language.regex.nodes import (
    EMPTY,
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
from bylaw.language.regex.steps import (
    GROUP,
    OPTION,
    RUN_FOLDED,
    TAIL,
    Meter,
    character_cost,
    run_cost,
)

START: Final = 20.0
"""What a search pays at each place where the pattern could begin."""

SMALL_LOOP: Final = 256
"""A loop of up to so many passes counts as a constant, a longer one as if it had no end."""

SHORT_LOOP: Final = 4
"""For loops of more passes than this, counting them all as endless may give a better bound for short texts."""

ANYTHING: Final = Char(".", int(re.DOTALL), negated=True)

MIRRORED: Final[dict[Place, Place]] = {
    "start": "end",
    "line_start": "line_end",
    "end": "start",
    "final": "start",
    "line_end": "line_start",
    "boundary": "boundary",
    "inside": "inside",
}


class Arrival(msgspec.Struct, frozen=True):
    """How ways come to a part: in all, living and dead; back from one place in the text; after which characters."""

    living: Growth
    dead: Growth
    back: Growth
    before: int
    head: bool

    fewest: Growth
    """A bound of how often they come."""

    @classmethod
    def by(cls, living: Growth, dead: Growth, back: Growth, *, before: int, head: bool) -> Self:
        return cls(living, dead, back, before, head, least(living + dead, LINEAR * back))

    def after(self, char: Char) -> Self:
        """How the same ways come to what follows a character."""
        return type(self)(self.living, ZERO, self.back, matched(char), False, self.fewest)


class Cost(msgspec.Struct, frozen=True):
    """Bounds of the nanoseconds that one search takes, each of them good."""

    bounds: tuple[Growth, ...]

    @property
    def slope(self) -> float:
        """The nanoseconds for each character, if they don't depend on how many there are."""
        return min(bound.slope for bound in self.bounds)

    def longest(self, budget: float) -> int:
        """The longest text that is surely searched within so many nanoseconds, -1 if not even the empty one is."""
        return max(_longest(bound, budget) for bound in self.bounds)


def search_cost(tree: Node) -> Cost:
    groups = sum(isinstance(node, Capture) for node in every(tree))
    cut = _cut_tail(tree)
    begin = Arrival.by(LINEAR, ZERO, ONE, before=EVERYTHING, head=True)
    return Cost(
        tuple(
            _Ways(Meter(groups, small)).cost(cut, begin, EVERYTHING) + LINEAR.times(START + RUN_FOLDED)
            for small in ((SMALL_LOOP, 0) if _has_wide_loop(tree) else (SMALL_LOOP,))
        )
    )


def _has_wide_loop(tree: Node) -> bool:
    return any(isinstance(node, Repeat) and (node.high or 0) > SHORT_LOOP for node in every(tree))


def _longest(bound: Growth, budget: float) -> int:
    enough, too_much = -1, 1
    while bound.at(too_much) <= budget:
        enough, too_much = too_much, too_much * 2
    while too_much - enough > 1:
        middle = (enough + too_much) // 2
        if bound.at(middle) <= budget:
            enough = middle
        else:
            too_much = middle
    return enough


class _Ways:
    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def cost(self, node: Node, at: Arrival, follow: int) -> Growth:
        """What all the ways that come to a part spend in it."""
        steps = self._meter.measure(node, follow)
        onwards = at.living * steps.work + at.dead.times(steps.idle_work)
        backwards = LINEAR * at.back * steps.work
        inside = self._inside(node, at, follow)
        return least(onwards, backwards) if inside is None else least(onwards, backwards, inside)

    def _inside(self, node: Node, at: Arrival, follow: int) -> Growth | None:
        """The same cost, found by looking at the parts of the part."""
        match node:
            case Sequence(items):
                return self._sequence(items, at, follow)
            case Capture(body) | Atomic(body):
                return self.cost(body, at, follow) + at.fewest.times(GROUP)
            case Choice(options):
                total = at.fewest.times(OPTION * len(options))
                for option in options:
                    total = total + self.cost(option, at, follow)
                return total
            case Repeat(body=Char() as body, high=high):
                reach = self._meter.passes(0, high) if matched(body) & at.before else ONE
                run = (LINEAR * at.back * reach).times(run_cost(body) + TAIL)
                return run + at.fewest.times(character_cost(body) + TAIL)
            case Repeat(body, _, 1):
                return self._inside(Choice((body, EMPTY)), at, follow)
            case _:
                return None

    def _sequence(self, items: tuple[Node, ...], at: Arrival, follow: int) -> Growth:
        total = ZERO
        for item, after in zip(items, self._meter.followers(items, follow), strict=True):
            if isinstance(item, Char) and at.dead is ZERO:
                total = total + at.fewest.times(character_cost(item))
                at = at.after(item)
            else:
                total = total + self.cost(item, at, after)
                at = self._beyond(item, at, after)
        return total

    def _beyond(self, item: Node, at: Arrival, follow: int) -> Arrival:
        """How ways come to what follows an item."""
        if at.head and isinstance(item, Anchor) and item.place == "start":
            return Arrival.by(ONE, ZERO, at.back, before=at.before, head=True)
        steps, mirrored = self._meter.measure(item, follow), mirror(item)
        return Arrival.by(
            living=at.living * steps.living,
            dead=steps.dead(at.living, at.dead),
            back=at.back * self._meter.measure(mirrored, at.before).living,
            before=self._meter.first(mirrored, at.before),
            head=at.head and isinstance(item, Anchor | Look),
        )


def mirror(node: Node) -> Node:
    """The part read from right to left, with at least as many ways through it."""
    match node:
        case Char() | Look():
            return node
        case Anchor(place, ascii=words):
            return Anchor(MIRRORED[place], words)
        case Sequence(items):
            return Sequence(tuple(map(mirror, reversed(items))))
        case Choice(options):
            return Choice(tuple(map(mirror, options)))
        case Condition(yes, no):
            return Choice((mirror(yes), mirror(no)))
        case Repeat(body, low, high):
            return Repeat(mirror(body), low, high)
        case Capture(body) | Atomic(body):
            return mirror(body)
        case Reference():
            return Repeat(ANYTHING, 0, None)
        case _:
            assert_never(node)


def _cut_tail(node: Node) -> Node:
    """The pattern without a last loop's passes beyond its least: the search has succeeded by then."""
    match node:
        case Repeat(body=Char() as body, low=low):
            return Repeat(body, low, low)
        case Sequence(items) if items:
            return Sequence((*items[:-1], _cut_tail(items[-1])))
        case Choice(options):
            return Choice(tuple(map(_cut_tail, options)))
        case Capture(body):
            return Capture(_cut_tail(body))
        case _:
            return node
