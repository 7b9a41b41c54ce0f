"""Rules ready to be decided, and a policy made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from bylaw.evidence import ToolCall
from bylaw.language.expressions import Condition
from bylaw.verdict import Finding, Item, Outcome

EVERY_TOOL = "*"
ATTEMPTS = "attempts"
CALLS = "calls"


def calls_of(tool: str) -> str:
    return f"calls:{tool}"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A condition on calls of one tool, and what follows where it holds. `passed` is the shared finding of a pass."""

    item: Item
    tool: str
    condition: Condition
    message: Callable[[ToolCall], str]
    action: Literal["deny", "warn"]
    passed: Finding


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """A bound on one counter of a session."""

    item: Item
    counter: str
    most: int
    message: Callable[[ToolCall], str]


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Rules by tool, in file order; tools that no rule names get the rules for every tool."""

    version: str
    before: Mapping[str, tuple[Rule, ...]]
    after: Mapping[str, tuple[Rule, ...]]
    limits: tuple[Limit, ...] = ()

    def rules_before(self, tool: str) -> tuple[Rule, ...]:
        return self.before.get(tool) or self.before[EVERY_TOOL]

    def rules_after(self, tool: str) -> tuple[Rule, ...]:
        return self.after.get(tool) or self.after[EVERY_TOOL]


def make_rule(
    *,
    item: Item,
    tool: str,
    condition: Condition,
    message: Callable[[ToolCall], str],
    action: Literal["deny", "warn"],
) -> Rule:
    passed = Finding(item=item, outcome=Outcome.passed)
    return Rule(item=item, tool=tool, condition=condition, message=message, action=action, passed=passed)


def make_policy(*, version: str, before: Sequence[Rule], after: Sequence[Rule], limits: Sequence[Limit]) -> Policy:
    return Policy(version=version, before=_by_tool(before), after=_by_tool(after), limits=tuple(limits))


def _by_tool(rules: Sequence[Rule]) -> dict[str, tuple[Rule, ...]]:
    tools = {EVERY_TOOL, *(rule.tool for rule in rules)}
    return {tool: tuple(rule for rule in rules if rule.tool in (tool, EVERY_TOOL)) for tool in tools}
