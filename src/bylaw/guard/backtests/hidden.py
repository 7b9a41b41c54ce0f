"""What of a recorded call is not what was judged: fields that redaction took out, marked or cut.

The record says so for the arguments. For the principal and the answer it does not; there the marks that redaction
leaves are looked for, and text that only looks like one counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from bylaw.evidence import ToolCall
from bylaw.guard.backtests.records import principal_of
from bylaw.language.expressions import Combined, Expression, Leaf, compile_expression
from bylaw.language.operators import CALLS, MISSING
from bylaw.language.selectors import compile_selector, without_view

Fields = tuple[str, ...]
"""Selectors: `args.token`, `principal.claims.key`, `output.text`; `args` alone where names are gone."""

_MARK = re.compile(
    r"\[(?:redacted|could not be recorded|contains itself|nested too deep|an integer of \d+ bits)\]"
    r"|\[\d+ more items cut\]|\A\[withheld: |… \[cut: \d+ characters\]\Z|\\ud[89a-f][0-9a-f]{2}"
)
_CUT = "…"

HOLDS, FAILS, BREAKS = 1, 2, 4
Possible = Callable[[ToolCall, Fields], int]
"""The ways a condition can turn out on a call of which some fields are not known: a sum of the three above."""


def hidden_in(redacted: tuple[str, ...], principal: bytes) -> Fields:
    """The fields of a recorded call that are not known. Most have none, and it costs next to nothing to say so."""
    hidden = tuple([f"args.{path}" if path else "args" for path in redacted]) if redacted else ()
    if b"[" in principal or b"\\ud" in principal:
        return hidden + _marked_in(principal)
    return hidden


def is_marked(text: str) -> bool:
    return ("[" in text or "\\ud" in text) and _MARK.search(text) is not None


@lru_cache(maxsize=4096)
def _marked_in(principal: bytes) -> Fields:
    return tuple(_marked("principal", principal_of(principal)))


def _marked(path: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if any(name.startswith(_CUT) or is_marked(name) for name in value):
            yield path
        for name, inner in value.items():
            yield from _marked(f"{path}.{name}", inner)
    elif isinstance(value, str) and is_marked(value):
        yield path


def fields_of(expression: Expression) -> frozenset[str]:
    """The fields that a condition may look at."""
    if isinstance(expression, Combined):
        return frozenset(field for part in expression.parts for field in fields_of(part))
    return frozenset({without_view(expression.selector)})


def touches(field: str, hidden: Fields) -> bool:
    return any(field == path or _below(field, path) or _below(path, field) for path in hidden)


def _below(field: str, path: str) -> bool:
    return field.startswith(path) and field[len(path) : len(path) + 1] == "."


def unknown_in(expression: Expression, call: ToolCall, hidden: Fields) -> Iterator[str]:
    """The fields that a condition looks at and that are not known."""
    if isinstance(expression, Combined):
        for part in expression.parts:
            yield from unknown_in(part, call, hidden)
    elif _unknown(expression, call, hidden):
        yield without_view(expression.selector)


def _unknown(leaf: Leaf, call: ToolCall, hidden: Fields) -> bool:
    """Whether a comparison could come out otherwise on what the tool really got.

    What was marked or cut was there, so `exists` is known of it. A list or mapping stays one whatever was taken out
    of it, and no operator looks into it. Where a mapping lost some of its names, the others are known. What a view
    makes of something that was changed is never known.
    """
    field = without_view(leaf.selector)
    if field != leaf.selector:
        return touches(field, hidden)
    if field in hidden:
        return leaf.operator != "exists" and not isinstance(compile_selector(field)(call), (Mapping, list))
    return any(_below(field, path) for path in hidden) and compile_selector(field)(call) is MISSING


def compile_possible(expression: Expression) -> Possible:
    """Evaluation as it is, left to right with short circuit, but every way that an unknown field could take it."""
    if isinstance(expression, Leaf):
        return _compile_leaf(expression)
    parts = [compile_possible(part) for part in expression.parts]
    if expression.how == "not":
        (inner,) = parts
        return lambda call, hidden: _swapped(inner(call, hidden))
    go_on = HOLDS if expression.how == "all" else FAILS

    def possible(call: ToolCall, hidden: Fields) -> int:
        ways = go_on
        for part in parts:
            if not ways & go_on:
                break
            ways = ways & ~go_on | part(call, hidden)
        return ways

    return possible


def _swapped(ways: int) -> int:
    return (ways & BREAKS) | (FAILS if ways & HOLDS else 0) | (HOLDS if ways & FAILS else 0)


def _compile_leaf(leaf: Leaf) -> Possible:
    condition = compile_expression(leaf)
    viewed = without_view(leaf.selector) != leaf.selector
    never_breaks = CALLS.operators[leaf.operator].accepts is None and not viewed
    anything = HOLDS | FAILS if never_breaks else HOLDS | FAILS | BREAKS

    def possible(call: ToolCall, hidden: Fields) -> int:
        if _unknown(leaf, call, hidden):
            return anything
        try:
            return HOLDS if condition(call) else FAILS
        except Exception:  # noqa: BLE001 a rule's evaluation may raise anything; that it does is one of the ways
            return BREAKS

    return possible
