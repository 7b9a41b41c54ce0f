"""Operators: a value and an operand give hit, miss, missing or mismatch; a dialect says what each of these means."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Literal

import msgspec

from bylaw.language.every import EveryShape
from bylaw.language.patterns import PatternShape
from bylaw.language.regex import Pattern
from bylaw.language.schemas import JsonSchemaShape
from bylaw.reader import Text
from bylaw.reader.shapes import Anything, Choice, Flag, Items, ListOf, Number, ScalarShape, Shape


class Reply(Enum):
    """What an operator answers. A mismatch is a value the operator has no meaning for."""

    hit = 1
    miss = 0
    missing = -1
    mismatch = -2


class Missing:
    """A field that is not there."""

    def __repr__(self) -> str:
        return "missing"


MISSING = Missing()
HIT, MISS, ABSENT, MISMATCH = Reply.hit, Reply.miss, Reply.missing, Reply.mismatch
Test = Callable[[Any], Reply]


class Operator(msgspec.Struct, frozen=True, kw_only=True):
    """One word of a dialect.

    `operand` is the shape of what a file writes behind it; `accepts` says which values it has a meaning for, None for
    all; `holds` makes the test of an operand; `absent` says whether an operand is hit by a field that is not there.
    """

    name: str
    operand: Any
    accepts: Callable[[Any], bool] | None
    holds: Callable[[Any], Callable[[Any], bool]]
    absent: Callable[[Any], bool] | None = None

    def hits_absent(self, operand: Any) -> bool:
        return self.absent is not None and self.absent(operand)


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How one format reads the operators they all share."""

    operators: Mapping[str, Operator]
    null_is_missing: bool
    mismatch: Literal["raises", "misses"]

    def test(self, name: str, operand: Any) -> Test:
        """The operator with its operand, as a function from a value to a reply."""
        operator = self.operators[name]
        accepts, holds = operator.accepts, operator.holds(operand)
        absent = HIT if operator.hits_absent(operand) else MISS if operator.absent is not None else ABSENT
        null_is_missing = self.null_is_missing

        def test(value: Any) -> Reply:
            if value is MISSING or (value is None and null_is_missing):
                return absent
            if accepts is not None and not accepts(value):
                return MISMATCH
            return HIT if holds(value) else MISS

        return test


class Mismatch(Exception):
    """An operator met a value it has no meaning for, in a dialect that does not pass over that."""


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isnan(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _has_length(value: Any) -> bool:
    return isinstance(value, (str, list, tuple))


def _holds_things(value: Any) -> bool:
    return isinstance(value, (str, list, tuple))


def json_equal(left: Any, right: Any) -> bool:
    """Equal as JSON: 1 is 1.0, but neither true nor "1"."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(json_equal(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return type(left) is type(right) and bool(left == right)


def _json_contains(value: Any, operand: Any) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    return any(json_equal(item, operand) for item in value)


def _json_in(value: Any, operand: Sequence[Any]) -> bool:
    return any(json_equal(value, item) for item in operand)


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": is_text,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, (list, tuple)),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
}


def _words(*operators: Operator) -> dict[str, Operator]:
    return {operator.name: operator for operator in operators}


def _operator(
    name: str, operand: Shape, accepts: Callable[[Any], bool] | None, holds: Callable[[Any], Callable[[Any], bool]]
) -> Operator:
    return Operator(name=name, operand=operand, accepts=accepts, holds=holds)


def _by(holds: Callable[[Any, Any], bool]) -> Callable[[Any], Callable[[Any], bool]]:
    """An operator's test out of a comparison of value and operand."""
    return lambda operand: lambda value: holds(value, operand)


def _contains_any(parts: tuple[str, ...]) -> Callable[[str], bool]:
    def holds(value: str) -> bool:
        for part in parts:  # noqa: SIM110 (a generator expression costs 0.2 µs a call here)
            if part in value:
                return True
        return False

    return holds


def _search(pattern: Pattern) -> Callable[[str], bool]:
    return pattern.search


def _search_any(patterns: tuple[Pattern, ...]) -> Callable[[str], bool]:
    searches = [pattern.search for pattern in patterns]

    def holds(value: str) -> bool:
        for search in searches:  # noqa: SIM110 (a generator expression costs 0.2 µs a call here)
            if search(value):
                return True
        return False

    return holds


_NUMBERS = _words(
    _operator("gt", Number(), _is_number, lambda least: lambda value: value > least),
    _operator("gte", Number(), _is_number, lambda least: lambda value: value >= least),
    _operator("lt", Number(), _is_number, lambda most: lambda value: value < most),
    _operator("lte", Number(), _is_number, lambda most: lambda value: value <= most),
)
_SOME = Items(min=1)
"""Of nothing, nothing is ever one."""

NUMERIC = frozenset(_NUMBERS)
_PRESENCE = _words(
    Operator(
        name="exists",
        operand=Flag(),
        accepts=None,
        holds=lambda wanted: lambda _: bool(wanted),
        absent=lambda wanted: not wanted,
    )
)

CALLS = Dialect(
    null_is_missing=True,
    mismatch="raises",
    operators=_PRESENCE
    | _NUMBERS
    | _words(
        _operator("equals", ScalarShape(), None, lambda operand: lambda value: value == operand),
        _operator("not_equals", ScalarShape(), None, lambda operand: lambda value: value != operand),
        _operator(
            "in", ListOf(item=ScalarShape(), items=_SOME), None, lambda operand: lambda value: value in operand
        ),
        _operator("not_in", ListOf(item=ScalarShape()), None, lambda operand: lambda value: value not in operand),
        _operator("contains", Text(), is_text, lambda part: lambda value: part in value),
        _operator("contains_any", ListOf(item=Text(), items=_SOME), is_text, _contains_any),
        _operator("starts_with", Text(), is_text, lambda part: lambda value: value.startswith(part)),
        _operator("ends_with", Text(), is_text, lambda part: lambda value: value.endswith(part)),
        _operator("matches", PatternShape(), is_text, _search),
        _operator("matches_any", ListOf(item=PatternShape(), items=_SOME), is_text, _search_any),
    ),
)
"""Conditions on a tool call: null is absent, Python's equality, a value of the wrong type is an error of the rule."""

JSON = Dialect(
    null_is_missing=False,
    mismatch="misses",
    operators=_PRESENCE
    | _NUMBERS
    | _words(
        _operator("equals", Anything(), None, _by(json_equal)),
        _operator("not_equals", Anything(), None, _by(lambda value, operand: not json_equal(value, operand))),
        _operator("one_of", ListOf(item=Anything()), None, _by(_json_in)),
        _operator("not_one_of", ListOf(item=Anything()), None, _by(lambda value, many: not _json_in(value, many))),
        _operator("contains", Anything(), _holds_things, _by(_json_contains)),
        _operator(
            "not_contains", Anything(), _holds_things, _by(lambda value, operand: not _json_contains(value, operand))
        ),
        _operator("regex", PatternShape(), is_text, _search),
        _operator("not_regex", PatternShape(), is_text, _by(lambda value, pattern: not pattern.search(value))),
        _operator("type", Choice(values=tuple(_TYPES)), None, _by(lambda value, name: _TYPES[name](value))),
        _operator("length_gte", Number(whole=True), _has_length, _by(lambda value, least: len(value) >= least)),
        _operator("length_lte", Number(whole=True), _has_length, _by(lambda value, most: len(value) <= most)),
        _operator("schema", JsonSchemaShape(), None, lambda schema: schema.holds),
        _operator("every", EveryShape(), _TYPES["array"], lambda every: every.holds),
    ),
)
"""Assertions on JSON: null is present, JSON's equality, a value of the wrong type fails."""
