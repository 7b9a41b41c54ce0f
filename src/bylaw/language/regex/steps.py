"""How much backtracking one part of a pattern can cause from the place where it begins.

The engine of `re` tries every way through a pattern until one succeeds. A way *lives* while the character that
comes next can begin what the pattern wants next; all others die after a fixed number of steps. Keeping the two apart
is what tells `\\w+\\s`, with one living way through it, from `\\w+\\w`, with as many as there are characters.
"""

from collections.abc import Iterable
from typing import Final, assert_never

import msgspec

from bylaw.language.regex.charset import EVERYTHING, NEXT, NOTHING, matched
from bylaw.language.regex.growth import LINEAR, ONE, ZERO, Growth, chained, constant, least, most, power
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

# What a step costs in nanoseconds: half as much again as was measured for it.
CHARACTER: Final = 6.0
FOLDED: Final = 3.0
CLASS_MEMBER: Final = 3.0
RUN: Final = 2.0
RUN_FOLDED: Final = 12.0
ANCHOR: Final = 15.0
TAIL: Final = 10.0
LOOP: Final = 30.0
OPTION: Final = 4.0
GROUP: Final = 10.0
MARK: Final = 1.0
"""What a loop pays for each group of the pattern, to be able to forget what it matched."""


class Steps(msgspec.Struct, frozen=True):
    """What trying a part costs (`work`) and how often what follows it is tried (`exits`, of which `living` live).

    The `idle` pair is for an entry whose next character suits neither the part nor what follows it.
    """

    work: Growth
    exits: Growth
    living: Growth
    idle_work: float
    idle_exits: float

    def dead(self, living: Growth, dead: Growth) -> Growth:
        """How many dead ways leave the part, if so many come to it; a single exit is counted as a living one."""
        return dead.times(self.idle_exits) + (ZERO if self.exits is ONE else living * self.exits)


class Meter:
    """Measures the parts of one tree, each once for every set of characters that can follow it."""

    def __init__(self, groups: int, small: int) -> None:
        self._pass = LOOP + MARK * groups
        self._small = small
        self._known: dict[tuple[int, int], tuple[Node, Steps]] = {}
        self._firsts: dict[tuple[int, int], tuple[Node, int]] = {}

    def first(self, node: Node, follow: int) -> int:
        """The characters that can come next where a part begins, if `follow` can come after it."""
        key = (id(node), follow)
        known = self._firsts.get(key)
        if known is None:
            known = self._firsts[key] = (node, self._first(node, follow))
        return known[1]

    def _first(self, node: Node, follow: int) -> int:
        match node:
            case Char():
                return matched(node)
            case Anchor(place):
                return NEXT.get(place, EVERYTHING) & follow
            case Sequence(items):
                for item in reversed(items):
                    follow = self.first(item, follow)
                return follow
            case Choice(options):
                return union(self.first(option, follow) for option in options)
            case Condition(yes, no):
                return self.first(yes, follow) | self.first(no, follow)
            case Repeat(body, low, high):
                return (self.first(body, follow) if high != 0 else NOTHING) | (NOTHING if low else follow)
            case Capture(body) | Atomic(body):
                return self.first(body, follow)
            case Look() | Reference():
                return EVERYTHING
            case _:
                assert_never(node)

    def followers(self, items: tuple[Node, ...], follow: int) -> list[int]:
        """What can come after each item of a sequence."""
        after = []
        for item in reversed(items):
            after.append(follow)
            follow = self.first(item, follow)
        return after[::-1]

    def measure(self, node: Node, follow: int) -> Steps:
        key = (id(node), follow)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = (node, self._measure(node, follow))
        return known[1]

    def _measure(self, node: Node, follow: int) -> Steps:
        match node:
            case Char():
                cost = character_cost(node)
                return Steps(constant(cost), ONE, ONE, cost, 0)
            case Anchor():
                return Steps(constant(ANCHOR), ONE, ONE, ANCHOR, 1)
            case Sequence(items):
                return self._sequence(items, follow)
            case Choice(options):
                return self._choice(options, follow)
            case Repeat(body=Char() as body):
                return self._run(node, body, follow)
            case Repeat():
                return self._loop(node, follow)
            case Capture(body):
                inner = self.measure(body, follow)
                work = inner.work + constant(GROUP)
                return Steps(work, inner.exits, inner.living, inner.idle_work + GROUP, inner.idle_exits)
            case Atomic(body):
                inner = self.measure(body, follow)
                return Steps(inner.work, ONE, ONE, inner.idle_work, min(inner.idle_exits, 1))
            case Look(body, behind):
                work = self.measure(body, EVERYTHING).work.widened(behind or 0)
                return Steps(work + constant(TAIL), ONE, ONE, TAIL, 1)
            case Reference():
                return Steps(LINEAR.times(FOLDED), ONE, ONE, FOLDED, 1)
            case Condition(yes, no):
                return _either(self.measure(yes, follow), self.measure(no, follow))
            case _:
                assert_never(node)

    def _sequence(self, items: tuple[Node, ...], follow: int) -> Steps:
        work, living, dead, exits = ZERO, ONE, ZERO, ONE
        idle_work, idle_exits = 0.0, 1.0
        for item, after in zip(items, self.followers(items, follow), strict=True):
            steps = self.measure(item, after)
            work = work + living * steps.work + dead.times(steps.idle_work)
            exits = living * steps.exits + dead.times(steps.idle_exits)
            dead = steps.dead(living, dead)
            living = living * steps.living
            idle_work += idle_exits * steps.idle_work
            idle_exits *= steps.idle_exits
        return Steps(work, exits, living, idle_work, idle_exits)

    def _choice(self, options: tuple[Node, ...], follow: int) -> Steps:
        rivals: list[tuple[int, Growth, Growth, Growth]] = []  # options that the same character can begin
        idle_work = idle_exits = 0.0
        for option in options:
            steps = self.measure(option, follow)
            idle_work += OPTION + steps.idle_work
            idle_exits += steps.idle_exits
            merged = (self.first(option, follow), steps.work, steps.exits, steps.living)
            apart = []
            for other in rivals:
                if other[0] & merged[0]:
                    merged = (
                        other[0] | merged[0],
                        other[1] + merged[1],
                        other[2] + merged[2],
                        other[3] + merged[3],
                    )
                else:
                    apart.append(other)
            rivals = [*apart, merged]
        return Steps(
            most(*(rival[1] for rival in rivals)) + constant(idle_work),
            most(*(rival[2] for rival in rivals)) + constant(idle_exits),
            most(*(rival[3] for rival in rivals)),
            idle_work,
            idle_exits,
        )

    def passes(self, low: int, high: int | None) -> Growth:
        """How many passes a loop can make: at most `high`, which for a small loop counts as a constant."""
        return LINEAR + constant(low + 1) if high is None or high > self._small else constant(high)

    def _run(self, loop: Repeat, body: Char, follow: int) -> Steps:
        low, high = loop.low, loop.high
        if loop.possessive or low == high:
            exits = ONE
        else:
            exits = LINEAR if high is None or high - low >= self._small else constant(high - low + 1)
        work = self.passes(0, high).times(run_cost(body)) + exits.times(TAIL) + constant(character_cost(body))
        living = exits if matched(body) & follow else ONE
        return Steps(work, exits, living, character_cost(body) + TAIL, 0 if low else 1)

    def _loop(self, node: Repeat, follow: int) -> Steps:
        body, low, high = node.body, node.low, node.high
        if high == 0:
            return Steps(constant(TAIL), ONE, ONE, TAIL, 1)
        again = self.first(body, NOTHING)
        inner = self.measure(body, again)
        empty = max(inner.idle_exits, 1.0) if inner.idle_exits else 0.0
        idle_work = (inner.idle_work + self._pass) * (low + 2) * (power(empty, low + 1) if empty else 1)
        idle_exits = power(empty, low) * (1 + empty) if empty else float(not low)
        if node.possessive:
            work = self.passes(low, high) * (inner.work + constant(self._pass))
            return Steps(work + constant(idle_work), ONE, ONE, idle_work, min(idle_exits, 1))
        passes = chained(inner.living, self.passes(low, high), high, low=low, width=shortest(body))
        leave = 1 + idle_exits if empty else 1
        work = passes * (inner.work + constant(self._pass) + inner.exits.times(self._pass + idle_work))
        exits = passes * inner.exits.times(leave) + constant(leave)
        living = passes * self.measure(body, follow).living.times(leave) + constant(leave)
        if not (again & follow or inner.idle_exits) and self.measure(body, again | follow).living.single:
            living = ONE
        return Steps(work + constant(idle_work), exits, least(living, exits), idle_work, idle_exits)


def character_cost(char: Char) -> float:
    folded = FOLDED if char.folds else 0.0
    return CHARACTER + folded + CLASS_MEMBER * _members(char)


def run_cost(char: Char) -> float:
    """What a loop over one character pays for each character."""
    if char.folds and char.ranges:
        return RUN_FOLDED
    return RUN + CLASS_MEMBER * _members(char)


def _members(char: Char) -> int:
    """How many members of a class `re` tries in turn: it has a table for those of one plane."""
    return len(char.categories) + (len(char.ranges) if any(high > 0xFFFF for _, high in char.ranges) else 0)


def _either(yes: Steps, no: Steps) -> Steps:
    return Steps(
        most(yes.work, no.work) + constant(OPTION),
        most(yes.exits, no.exits),
        most(yes.living, no.living),
        max(yes.idle_work, no.idle_work) + OPTION,
        max(yes.idle_exits, no.idle_exits),
    )


def union(sets: Iterable[int]) -> int:
    together = NOTHING
    for members in sets:
        together |= members
    return together
