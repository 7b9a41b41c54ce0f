"""Counts that are not known for certain never decide for certain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from bylaw.evidence import ToolCall
from bylaw.guard.backtests.tallies import Tallies
from bylaw.policy import MemoryLedger, decide
from bylaw.policy.deciding import wanted_calls

from .bundles import bundle, limit
from .recordings import policy


class Step(msgspec.Struct, frozen=True):
    """A call of a tool that runs for certain or perhaps, as far as all but the limits go, and fails or not."""

    tool: str
    certain: bool
    fails: bool


STEPS = st.lists(
    st.builds(Step, st.sampled_from("tu"), st.sampled_from([True, True, False]), st.booleans()), max_size=7
)
LIMITS = st.fixed_dictionaries(
    {}, optional={"max_tool_calls": st.integers(0, 4), "max_calls_per_tool": st.just({"t": 2})}
).filter(bool)


class World:
    """One way things may have gone, counted as a guard counts."""

    def __init__(self, text: str) -> None:
        self.policy = policy(text)
        self.ledger = MemoryLedger()

    def step(self, step: Step, *, runs: bool) -> bool | None:
        """Whether the limits allow it; None where something else denied it first."""
        if not runs:
            return None
        findings = decide(self.policy, ToolCall(tool=step.tool), ledger=self.ledger)
        allowed = not any(found.action and found.binding for found in findings)
        if allowed and step.fails:
            self.ledger.give_back([counter for counter, _ in wanted_calls(self.policy, step.tool)])
        return allowed


def worlds(text: str, steps: list[Step]) -> Iterator[list[bool | None]]:
    """What the limits say at every step, in every way that the uncertain calls may have gone."""
    open_ones = [number for number, step in enumerate(steps) if not step.certain]
    for choice in range(1 << len(open_ones)):
        ran = {number: bool(choice >> place & 1) for place, number in enumerate(open_ones)}
        world = World(text)
        yield [world.step(step, runs=ran.get(number, True)) for number, step in enumerate(steps)]


def tallied(text: str, steps: list[Step]) -> Iterator[bool | None]:
    """What the tallies say at every step; None where they don't know."""
    tallies = Tallies(policy(text))
    for number, step in enumerate(steps):
        call = ToolCall(tool=step.tool, id=str(number))
        firings = tallies.place(call, "s", certain=step.certain)
        yield True if not firings else False if any(not why for _, why in firings) else None
        if step.fails:
            tallies.failed(call.id)
        else:
            tallies.ran(call.id)


@given(LIMITS, STEPS)
def test_what_is_certain_holds_in_every_world(limits: dict[str, Any], steps: list[Step]) -> None:
    text = bundle(limit("few", **limits))
    said = list(tallied(text, steps))
    for world in worlds(text, steps):
        for known, real in zip(said, world, strict=True):
            assert real is None or known is None or known is real


@given(st.integers(0, 4), STEPS)
def test_what_one_limit_leaves_open_differs_between_worlds(most: int, steps: list[Step]) -> None:
    text = bundle(limit("few", max_tool_calls=most))
    said = list(tallied(text, steps))
    seen = [{real for real in answers if real is not None} for answers in zip(*worlds(text, steps), strict=True)]
    for known, real in zip(said, seen, strict=True):
        assert known is not None or real == {True, False}
