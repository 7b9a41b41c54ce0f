"""Which of many rules can matter for a call, asked of all of them at once.

A rule is left out only where its condition is certainly false and certainly does not break; whoever is left is judged
one by one, in file order. So the findings are the same as without a sieve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import re2

from bylaw.evidence import ToolCall
from bylaw.language.expressions import Combined, Expression, Leaf
from bylaw.language.operators import MISSING
from bylaw.language.regex.sets import FormSet, literal
from bylaw.language.selectors import Getter, compile_selector, without_view

PATTERN_WORK = 2
"""What searching a text for a pattern costs beside judging its rule, which is 1."""


class Clue(NamedTuple):
    """The condition can only hold, or break, if the form is found in the selected text."""

    selector: str
    form: str
    is_pattern: bool = False


def clues(expression: Expression) -> list[Clue] | None:
    """What must be there for a condition to hold or break; None where that can't be said.

    Of `all` only the first part counts: where it is false nothing behind it is reached, where another one is false
    an earlier one may already have broken. A text operator breaks on a value that is no text; that is let through.
    """
    if isinstance(expression, Leaf):
        return _clues_of_leaf(expression)
    if expression.how == "all":
        return clues(expression.parts[0])
    if expression.how == "not":
        return None
    found: list[Clue] = []
    for part in expression.parts:
        some = clues(part)
        if some is None:
            return None
        found += some
    return found


def _clues_of_leaf(leaf: Leaf) -> list[Clue] | None:
    operand = leaf.operand
    if without_view(leaf.selector) != leaf.selector:
        return None
    match leaf.operator:
        case "matches" | "matches_any":
            patterns = (operand,) if leaf.operator == "matches" else operand
            found = [Clue(leaf.selector, pattern.superset, is_pattern=True) for pattern in patterns]
        case "contains" | "starts_with" | "ends_with":
            found = [Clue(leaf.selector, literal(operand))]
        case "contains_any":
            found = [Clue(leaf.selector, literal(part)) for part in operand]
        case "equals" if isinstance(operand, str):
            found = [Clue(leaf.selector, literal(operand))]
        case "in" if all(isinstance(value, str) for value in operand):
            found = [Clue(leaf.selector, literal(value)) for value in operand]
        case _:
            return None
    return found or None


class _Stretch(NamedTuple):
    """The forms that are looked for in one selected text, each belonging to a rule."""

    get: Getter
    forms: FormSet


class Sieve:
    """Made once for the conditions of one tool's rules, in file order; None where there is no telling by clues.

    Texts in which little is looked for are left alone: asking RE2 costs as much as `worth` rules judged one by one.
    """

    def __init__(self, conditions: Sequence[list[Clue] | None], *, worth: int) -> None:
        by_selector: dict[str, list[tuple[Clue, int]]] = {}
        for number, found in enumerate(conditions):
            for clue in found or ():
                by_selector.setdefault(clue.selector, []).append((clue, number))
        worthwhile = {selector for selector, owned in by_selector.items() if _work(owned) >= worth}
        self._always = tuple(
            number
            for number, found in enumerate(conditions)
            if found is None or any(clue.selector not in worthwhile for clue in found)
        )
        always = frozenset(self._always)
        self._stretches = [
            _Stretch(
                compile_selector(selector),
                FormSet([(clue.form, number) for clue, number in owned if number not in always]),
            )
            for selector, owned in by_selector.items()
            if selector in worthwhile
        ]

    def __bool__(self) -> bool:
        """Whether it holds anything back."""
        return bool(self._stretches)

    def candidates(self, call: ToolCall) -> Sequence[int]:
        """The rules that have to be judged, in file order."""
        candidates: Sequence[int] = ()
        for get, forms in self._stretches:
            value: Any = get(call)
            if type(value) is str:
                found = forms.found(value.encode("utf-8", "surrogatepass"))
                if found is None:
                    found = forms.owners
            elif value is MISSING or value is None:
                continue
            else:
                found = forms.owners
            candidates = (*candidates, *found) if candidates else found
        if not self._always and len(candidates) < 2:
            return candidates
        return sorted({*candidates, *self._always}) if candidates else self._always


def _work(owned: Sequence[tuple[Clue, int]]) -> int:
    patterns = sum(clue.is_pattern for clue, _ in owned)
    return len({number for _, number in owned}) + PATTERN_WORK * patterns


def make_sieve(conditions: Sequence[Expression | None], *, worth: int) -> Sieve | None:
    """A sieve where it pays."""
    if sum(condition is not None and _most_work(condition) for condition in conditions) < worth:
        return None
    try:
        found = [None if condition is None else clues(condition) for condition in conditions]
        return Sieve(found, worth=worth) or None
    except re2.error:
        # RE2 has no room for so many forms together; one by one still decides the same.
        return None


def _most_work(expression: Expression) -> int:
    """At least what its clues come to, without making them."""
    match expression:
        case Leaf(operator="matches"):
            return 1 + PATTERN_WORK
        case Leaf(operator="matches_any", operand=patterns):
            return 1 + PATTERN_WORK * len(patterns)
        case Leaf():
            return 1
        case Combined(parts=parts):
            return sum(map(_most_work, parts))
