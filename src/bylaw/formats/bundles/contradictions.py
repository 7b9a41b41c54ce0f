"""Comparisons of one field that no value can satisfy together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from bylaw.formats.bundles.documents import Post, Pre
from bylaw.language.expressions import Expression, Leaf
from bylaw.language.operators import CALLS, Reply
from bylaw.language.regex import RegexLimit
from bylaw.language.selectors import without_view
from bylaw.language.spelling import spell
from bylaw.reader import Problems

_LISTED = ("equals", "in")


def lint_contradictions(contract: Pre | Post, problems: Problems) -> None:
    """Each `all` that can't hold, told once. What a view shows is several texts, so little can be said of it."""
    for parts in _joined(contract.when):
        found = next((pair for pair in combinations(parts, 2) if _exclude(*pair)), None)
        if found is not None:
            first, second = found
            problems.add(
                "never-fires",
                f"no call has `{spell(first)}` and `{spell(second)}`: together they never hold",
                second.where,
                hint="join them with `any:` if one is enough",
                level="warning",
            )


def _joined(expression: Expression) -> Iterator[list[Leaf]]:
    """The comparisons that must hold together, for each outermost `all`; below a `not` it is the other way round."""
    if isinstance(expression, Leaf) or expression.how == "not":
        return
    if expression.how == "all":
        yield list(_leaves_of(expression))
    for part in expression.parts:
        if expression.how == "any" or (not isinstance(part, Leaf) and part.how == "any"):
            yield from _joined(part)


def _leaves_of(expression: Expression) -> Iterator[Leaf]:
    if isinstance(expression, Leaf):
        yield expression
    elif expression.how == "all":
        for part in expression.parts:
            yield from _leaves_of(part)


def _exclude(first: Leaf, second: Leaf) -> bool:
    for absent, other in ((first, second), (second, first)):
        if _absent(absent) and absent.selector in (other.selector, without_view(other.selector)):
            return not _absent(other)
    if without_view(first.selector) != first.selector or first.selector != second.selector:
        return False
    for listed, other in ((first, second), (second, first)):
        if listed.operator in _LISTED:
            return not any(_hits(other, value) for value in _values(listed))
    return _empty_range(first, second) or _empty_range(second, first)


def _hits(leaf: Leaf, value: object) -> bool:
    try:
        return CALLS.test(leaf.operator, leaf.operand)(value) is Reply.hit
    except RegexLimit:
        return True  # nobody knows, so nothing is said


def _absent(leaf: Leaf) -> bool:
    return leaf.operator == "exists" and not leaf.operand


def _values(leaf: Leaf) -> Sequence[object]:
    return leaf.operand if leaf.operator == "in" else (leaf.operand,)


def _empty_range(low: Leaf, high: Leaf) -> bool:
    if low.operator not in ("gt", "gte") or high.operator not in ("lt", "lte"):
        return False
    both_ends = low.operator == "gte" and high.operator == "lte"
    return bool(low.operand > high.operand or (low.operand == high.operand and not both_ends))
