"""Rules ready to be decided, and a policy made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from bylaw.evidence import ToolCall
from bylaw.language.expressions import Condition, Expression
from bylaw.policy.tables import RuleTable
from bylaw.verdict import Finding, Item, Outcome

ATTEMPTS = "attempts"
CALLS = "calls"


def calls_of(tool: str) -> str:
    return f"calls:{tool}"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on calls of some tools, and what follows where it holds.

    `tools` are names and globs. `when` is what `condition` was compiled from, if it was. `passed` is the finding of
    every pass: it holds nothing of the call, so it is made once. `output` says what the caller gets of an answer the
    rule warns of.
    """

    item: Item
    tools: tuple[str, ...]
    condition: Condition
    message: Callable[[ToolCall], str]
    action: Literal["deny", "warn"]
    passed: Finding
    when: Expression | None = None
    output: Literal["", "redact", "withhold"] = ""


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """A bound on one counter of a session. `passed` is the finding of every call within it."""

    item: Item
    counter: str
    most: int
    message: Callable[[ToolCall], str]
    passed: Finding


class Bound(NamedTuple):
    """What limits one counter: every limit with its place among all, and the smallest that is enforced."""

    limits: tuple[tuple[int, Limit], ...]
    most: int | None


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Rules by tool, in file order, and limits on a session. `unmatched` is the rule for tools that no rule names.

    `bounds` are the limits by counter.
    """

    version: str
    before: RuleTable
    after: RuleTable
    limits: tuple[Limit, ...] = ()
    bounds: Mapping[str, Bound] = {}
    unmatched: Rule | None = None


def make_rule(
    *,
    item: Item,
    tools: tuple[str, ...],
    condition: Condition,
    message: Callable[[ToolCall], str],
    action: Literal["deny", "warn"],
    when: Expression | None = None,
    output: Literal["", "redact", "withhold"] = "",
) -> Rule:
    return Rule(
        item=item,
        tools=tools,
        condition=condition,
        message=message,
        action=action,
        when=when,
        output=output,
        passed=Finding(item=item, outcome=Outcome.passed),
    )


def make_limit(*, item: Item, counter: str, most: int, message: Callable[[ToolCall], str]) -> Limit:
    passed = Finding(item=item, outcome=Outcome.passed)
    return Limit(item=item, counter=counter, most=most, message=message, passed=passed)


def make_policy(
    *,
    version: str,
    before: Sequence[Rule],
    after: Sequence[Rule],
    limits: Sequence[Limit],
    unmatched: Rule | None = None,
) -> Policy:
    return Policy(
        version=version,
        before=RuleTable(before),
        after=RuleTable(after),
        limits=tuple(limits),
        bounds={counter: _bound(counter, limits) for counter in {limit.counter for limit in limits}},
        unmatched=unmatched,
    )


def _bound(counter: str, limits: Sequence[Limit]) -> Bound:
    own = tuple((number, limit) for number, limit in enumerate(limits) if limit.counter == counter)
    return Bound(own, min((limit.most for _, limit in own if limit.item.binding), default=None))
