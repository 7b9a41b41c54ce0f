"""Rules that let a call pass because a field is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from bylaw.formats.bundles.documents import Bundle, Post, Pre, Tool
from bylaw.language.expressions import Combined, Expression, Leaf
from bylaw.language.selectors import without_view
from bylaw.language.spelling import spell
from bylaw.policy.tables import EVERY_TOOL
from bylaw.reader import Problems

_NEGATIVE = {"not_in": "in", "not_equals": "equals"}
_ALWAYS_THERE = frozenset({"environment", "tool.name"})


def lint_absence(conditions: Sequence[Pre | Post], bundle: Bundle, problems: Problems) -> None:
    """A negative comparison is false for a field that is not there, so the rule does not fire for it."""
    guards = [found for contract in conditions for found in _absences(contract, bundle)]
    for contract in conditions:
        for leaf, settled, beside in _open_leaves(contract.when, frozenset(), frozenset()):
            field = without_view(leaf.selector)
            if field in settled or field in _ALWAYS_THERE or _required(field, contract, bundle):
                continue
            if any(guard.covers(field, contract, beside) for guard in guards):
                continue
            problems.add(
                "fails-open",
                f"`{leaf.operator}` is false where `{leaf.selector}` is missing: `{contract.id}` does not fire then",
                leaf.where,
                hint=f"add `{field}: {{exists: false}}` beside it under `any:`, or write"
                f" `not: {{{leaf.selector}: {{{_NEGATIVE[leaf.operator]}: …}}}}`",
                level="warning",
            )


def _open_leaves(
    expression: Expression, settled: frozenset[str], beside: frozenset[str]
) -> Iterator[tuple[Leaf, frozenset[str], frozenset[str]]]:
    """Negative comparisons, with the fields whose absence is dealt with, and what must hold beside them.

    Below a `not` a comparison that is false fires the rule, so nothing there fails open; below two it does again.
    """
    if isinstance(expression, Leaf):
        if expression.operator in _NEGATIVE:
            yield expression, settled, beside
        return
    if expression.how == "not":
        (inner,) = expression.parts
        if isinstance(inner, Combined) and inner.how == "not":
            yield from _open_leaves(inner.parts[0], settled, beside)
        return
    asked = {
        without_view(part.selector)
        for part in expression.parts
        if isinstance(part, Leaf) and part.operator == "exists"
    }
    for part in expression.parts:
        others = {spell(other) for other in expression.parts if other is not part} if expression.how == "all" else ()
        yield from _open_leaves(part, settled | asked, beside.union(others))


class _Absence(msgspec.Struct, frozen=True):
    """An enforced contract that denies where a field is not there, if what else it asks for holds."""

    field: str
    contract: Pre
    asked: frozenset[str]

    def covers(self, field: str, contract: Pre | Post, beside: frozenset[str]) -> bool:
        tools = self.contract.targets
        for_all = EVERY_TOOL in tools or set(contract.targets) <= set(tools)
        return field == self.field and for_all and self.asked <= beside


def _absences(contract: Pre | Post, bundle: Bundle) -> Iterator[_Absence]:
    if isinstance(contract, Post) or (contract.mode or bundle.defaults.mode) != "enforce":
        return
    for way in _ways(contract.when):
        for part in way:
            if isinstance(part, Leaf) and part.operator == "exists" and not part.operand:
                others = frozenset(spell(other) for other in way if other is not part)
                yield _Absence(without_view(part.selector), contract, others)


def _ways(expression: Expression) -> Iterator[tuple[Expression, ...]]:
    """Each alternative of a condition, as what it asks for together."""
    if isinstance(expression, Leaf) or expression.how == "not":
        yield (expression,)
    elif expression.how == "all":
        yield expression.parts
    else:
        for part in expression.parts:
            yield from _ways(part)


def _required(field: str, contract: Pre | Post, bundle: Bundle) -> bool:
    """Whether the bundle says of all tools it is for that they need this argument."""
    head, _, path = field.partition(".")
    if head != "args" or bundle.tools is None:
        return False
    meant = [
        tool for name, tool in bundle.tools.items() if any(fnmatchcase(name, glob) for glob in contract.patterns)
    ]
    return bool(meant) and all(_needs(tool, path.split(".")) for tool in meant)


def _needs(tool: Tool, path: Sequence[str]) -> bool:
    schema: Any = tool.parameters
    for name in path:
        required = schema.get("required") if isinstance(schema, Mapping) else None
        if not isinstance(required, list) or name not in required:
            return False
        properties = schema.get("properties")
        schema = properties.get(name) if isinstance(properties, Mapping) else None
    return True
