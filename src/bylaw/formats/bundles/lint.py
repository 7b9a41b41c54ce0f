"""What is valid and most likely not meant. Warnings, each with a way out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bylaw.formats.bundles.documents import Bundle, Post, Pre, Session
from bylaw.language.expressions import Combined, Expression, Leaf
from bylaw.language.regex import Pattern
from bylaw.reader import Problems

_NEGATIVE = {"not_in": "in", "not_equals": "equals"}
_ALWAYS_THERE = frozenset({"environment", "tool.name"})


def lint(bundle: Bundle, problems: Problems) -> None:
    conditions = [contract for contract in bundle.contracts if isinstance(contract, (Pre, Post)) and contract.enabled]
    for contract in conditions:
        _fails_open(contract, problems)
        _matches_everything(contract, problems)
    _repeats(conditions, bundle, problems)
    _unreachable_limits(bundle, problems)


def _fails_open(contract: Pre | Post, problems: Problems) -> None:
    """A negative comparison is false for a field that is not there, so the rule does not fire for it."""
    for leaf, settled in _leaves(contract.when, frozenset()):
        if leaf.operator in _NEGATIVE and leaf.selector not in _ALWAYS_THERE and leaf.selector not in settled:
            problems.add(
                "fails-open",
                f"`{leaf.operator}` is false where `{leaf.selector}` is missing: `{contract.id}` does not fire then",
                leaf.where,
                hint=f"add `{leaf.selector}: {{exists: false}}` beside it under `any:`, or write"
                f" `not: {{{leaf.selector}: {{{_NEGATIVE[leaf.operator]}: …}}}}`",
                level="warning",
            )


def _leaves(expression: Expression, settled: frozenset[str]) -> Iterator[tuple[Leaf, frozenset[str]]]:
    """Every comparison, with the fields whose absence is dealt with beside it or above it."""
    if isinstance(expression, Leaf):
        yield expression, settled
        return
    beside = {part.selector for part in expression.parts if isinstance(part, Leaf) and part.operator == "exists"}
    for part in expression.parts:
        yield from _leaves(part, settled | beside)


def _matches_everything(contract: Pre | Post, problems: Problems) -> None:
    for leaf, _ in _leaves(contract.when, frozenset()):
        patterns = leaf.operand if isinstance(leaf.operand, tuple) else (leaf.operand,)
        for pattern in patterns:
            if isinstance(pattern, Pattern) and pattern.matches_empty:
                problems.add(
                    "matches-everything",
                    f"`{pattern.source}` is found in every text: this fires on every call with `{leaf.selector}`",
                    leaf.where,
                    hint="ask for at least one character, `+` instead of `*`",
                    level="warning",
                )


class _Spelled(NamedTuple):
    """A contract, its condition as text, and the alternatives of that."""

    contract: Pre | Post
    said: str
    ways: frozenset[str]


def _repeats(conditions: Sequence[Pre | Post], bundle: Bundle, problems: Problems) -> None:
    """Each contract is told of the first one before it that makes it needless.

    That one has every alternative of the later one, so looking under the rarest of them finds it.
    """
    everyone: list[_Spelled] = []
    by_way: dict[str, list[_Spelled]] = {}
    for contract in conditions:
        later = _Spelled(contract, _said(contract.when), _ways(contract.when))
        for earlier in min((by_way.get(way, []) for way in later.ways), key=len, default=everyone):
            if _repeated(earlier, later, bundle, problems):
                break
        everyone.append(later)
        for way in later.ways:
            by_way.setdefault(way, []).append(later)


def _repeated(first: _Spelled, second: _Spelled, bundle: Bundle, problems: Problems) -> bool:
    earlier, later = first.contract, second.contract
    if earlier.type != later.type:
        return False
    if earlier.targets == later.targets and first.said == second.said:
        problems.add(
            "same-condition",
            f"`{later.id}` has the same condition as `{earlier.id}` on line {earlier.at.span.line}",
            later.where("when"),
            hint="keep one",
            level="warning",
        )
        return True
    if _enforced(earlier, bundle) and earlier.type == "pre" and _covers(first, second):
        problems.add(
            "shadowed",
            f"`{later.id}` never decides: `{earlier.id}` on line {earlier.at.span.line} denies all it would deny",
            later.where("id"),
            hint="remove it, or put it before the other one",
            level="warning",
        )
        return True
    return False


def _enforced(contract: Pre | Post, bundle: Bundle) -> bool:
    return (contract.mode or bundle.defaults.mode) == "enforce"


def _covers(earlier: _Spelled, later: _Spelled) -> bool:
    """Whether every way to fire the later one also fires the earlier one, as far as the spelling shows it."""
    tools = earlier.contract.targets
    return ("*" in tools or set(later.contract.targets) <= set(tools)) and later.ways <= earlier.ways


def _ways(expression: Expression) -> frozenset[str]:
    """The alternatives of a condition, one level deep, each spelled out."""
    if isinstance(expression, Combined) and expression.how == "any":
        return frozenset(way for part in expression.parts for way in _ways(part))
    if isinstance(expression, Leaf) and expression.operator in ("contains_any", "matches_any", "in"):
        single = {"contains_any": "contains", "matches_any": "matches", "in": "equals"}[expression.operator]
        return frozenset(f"{expression.selector} {single} {_operand(value)}" for value in expression.operand)
    return frozenset({_said(expression)})


def _said(expression: Expression) -> str:
    if isinstance(expression, Leaf):
        return f"{expression.selector} {expression.operator} {_operand(expression.operand)}"
    return f"{expression.how}({', '.join(_said(part) for part in expression.parts)})"


def _operand(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_operand, value))}]"
    return repr(value.source) if isinstance(value, Pattern) else repr(value)


def _unreachable_limits(bundle: Bundle, problems: Problems) -> None:
    """A limit that another enforced one of the bundle always reaches first."""
    sessions = [contract for contract in bundle.contracts if isinstance(contract, Session) and contract.enabled]
    enforced = [contract for contract in sessions if (contract.mode or bundle.defaults.mode) == "enforce"]
    attempts = min((c.limits.max_attempts for c in enforced if c.limits.max_attempts is not None), default=None)
    calls = min((c.limits.max_tool_calls for c in enforced if c.limits.max_tool_calls is not None), default=None)
    for contract in sessions:
        limits = contract.limits
        total = limits.max_tool_calls
        if total is not None and attempts is not None and total > attempts:
            _never("max_tool_calls", total, f"`max_attempts: {attempts}`", contract, problems)
        for tool, most in limits.max_calls_per_tool.items():
            ahead = min((bound for bound in (attempts, calls) if bound is not None), default=None)
            if ahead is not None and most > ahead:
                _never(f"max_calls_per_tool.{tool}", most, f"the limit of {ahead} on all tools", contract, problems)


def _never(name: str, most: int, first: str, contract: Session, problems: Problems) -> None:
    problems.add(
        "limit-never-reached",
        f"`{name}: {most}` of `{contract.id}` is never reached: {first} comes first",
        contract.limits.where(name.partition(".")[0]),
        level="warning",
    )
