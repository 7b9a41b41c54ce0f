"""Which of many rules can matter for a call, asked of all of them at once.

A rule is left out only where its condition is certainly false and certainly does not break; whoever is left is judged
one by one, in file order. So the findings are the same as without a sieve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import re2

from bylaw.evidence import ToolCall
from bylaw.language.expressions import Expression, Leaf
from bylaw.language.operators import MISSING
from bylaw.language.regex.sets import FormSet, literal
from bylaw.language.selectors import Getter, compile_selector, without_view

Clue = tuple[str, str]
"""A selector and a form: the condition can only hold, or break, if the form is found in the selected text."""


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
        case "contains" | "starts_with" | "ends_with":
            forms = [literal(operand)]
        case "contains_any":
            forms = [literal(part) for part in operand]
        case "matches":
            forms = [operand.superset]
        case "matches_any":
            forms = [pattern.superset for pattern in operand]
        case "equals" if isinstance(operand, str):
            forms = [literal(operand)]
        case "in" if all(isinstance(value, str) for value in operand):
            forms = [literal(value) for value in operand]
        case _:
            return None
    return [(leaf.selector, form) for form in forms]


class _Stretch:
    """The forms that are looked for in one selected text, and the rules each belongs to."""

    def __init__(self, selector: str, forms: Sequence[tuple[str, int]]) -> None:
        self.get: Getter = compile_selector(selector)
        self.everyone = frozenset(rule for _, rule in forms)
        self._owners = [rule for _, rule in forms]
        self._forms = FormSet([form for form, _ in forms])

    def candidates(self, call: ToolCall) -> frozenset[int] | set[int]:
        value: Any = self.get(call)
        if value is MISSING or value is None:
            return _NOBODY
        if type(value) is not str:
            return self.everyone
        found = self._forms.found(value.encode("utf-8", "surrogatepass"))
        if found is None:
            return self.everyone
        return {self._owners[form] for form in found} if found else _NOBODY


_NOBODY: frozenset[int] = frozenset()


class Sieve:
    """Made once for the conditions of one tool's rules, in file order."""

    def __init__(self, conditions: Sequence[Expression | None]) -> None:
        by_selector: dict[str, list[tuple[str, int]]] = {}
        always: list[int] = []
        for number, condition in enumerate(conditions):
            found = None if condition is None else clues(condition)
            if found is None:
                always.append(number)
            for selector, form in found or ():
                by_selector.setdefault(selector, []).append((form, number))
        self._always = tuple(always)
        self._stretches = [_Stretch(selector, forms) for selector, forms in by_selector.items()]

    def candidates(self, call: ToolCall) -> Sequence[int]:
        """The rules that have to be judged, in file order."""
        found: set[int] | None = None
        for stretch in self._stretches:
            some = stretch.candidates(call)
            if some:
                found = set(some) if found is None else found | some
        if found is None:
            return self._always
        return sorted(found.union(self._always))


def make_sieve(conditions: Sequence[Expression | None], *, worth: int) -> Sieve | None:
    """A sieve where it pays: for `worth` rules or more, of which it can hold back most."""
    held_back = sum(condition is not None and clues(condition) is not None for condition in conditions)
    if held_back < worth:
        return None
    try:
        return Sieve(conditions)
    except re2.error:
        # RE2 has no room for so many forms together; one by one still decides the same.
        return None
