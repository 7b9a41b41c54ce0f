"""Operators: a value and an operand give hit, miss, missing or mismatch; a dialect says what each of these means."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Literal

import msgspec

from bylaw.language.patterns import PatternShape
from bylaw.language.regex import Pattern
from bylaw.reader import Text
from bylaw.reader.shapes import Anything, Choice, Flag, ListOf, Number, ScalarShape, Shape


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
    """One word of a dialect: the shape of its operand, and the test that an operand makes."""

    name: str
    operand: Any
    bind: Callable[[Any], Test]


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How one format reads the operators they all share."""

    operators: Mapping[str, Operator]
    null_is_missing: bool
    mismatch: Literal["raises", "misses"]

    def test(self, name: str, operand: Any) -> Test:
        inner = self.operators[name].bind(operand)
        if not self.null_is_missing:
            return inner
        return lambda value: inner(MISSING if value is None else value)


class Mismatch(Exception):
    """An operator met a value it has no meaning for, in a dialect that does not pass over that."""


def _reply(hit: bool) -> Reply:
    return HIT if hit else MISS


def _over(accepts: Callable[[Any], bool], holds: Callable[[Any, Any], bool]) -> Callable[[Any], Test]:
    """The common shape of an operator: absent, not for it, or decided."""

    def bind(operand: Any) -> Test:
        def test(value: Any) -> Reply:
            if value is MISSING:
                return ABSENT
            if not accepts(value):
                return MISMATCH
            return HIT if holds(value, operand) else MISS

        return test

    return bind


def _exists(operand: Any) -> Test:
    return lambda value: _reply((value is not MISSING) is operand)


def _anything(_: Any) -> bool:
    return True


def _is_text(value: Any) -> bool:
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


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": _is_text,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, (list, tuple)),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
}


def _matches(value: str, pattern: Pattern) -> bool:
    return pattern.search(value)


def _words(*operators: Operator) -> dict[str, Operator]:
    return {operator.name: operator for operator in operators}


def _operator(
    name: str, operand: Shape, accepts: Callable[[Any], bool], holds: Callable[[Any, Any], bool]
) -> Operator:
    return Operator(name=name, operand=operand, bind=_over(accepts, holds))


_NUMBERS = _words(
    _operator("gt", Number(), _is_number, lambda value, least: value > least),
    _operator("gte", Number(), _is_number, lambda value, least: value >= least),
    _operator("lt", Number(), _is_number, lambda value, most: value < most),
    _operator("lte", Number(), _is_number, lambda value, most: value <= most),
)
_PRESENCE = _words(Operator(name="exists", operand=Flag(), bind=_exists))

CALLS = Dialect(
    null_is_missing=True,
    mismatch="raises",
    operators=_PRESENCE
    | _NUMBERS
    | _words(
        _operator("equals", ScalarShape(), _anything, lambda value, operand: value == operand),
        _operator("not_equals", ScalarShape(), _anything, lambda value, operand: value != operand),
        _operator("in", ListOf(item=ScalarShape()), _anything, lambda value, operand: value in operand),
        _operator("not_in", ListOf(item=ScalarShape()), _anything, lambda value, operand: value not in operand),
        _operator("contains", Text(), _is_text, lambda value, part: part in value),
        _operator(
            "contains_any", ListOf(item=Text()), _is_text, lambda value, parts: any(part in value for part in parts)
        ),
        _operator("starts_with", Text(), _is_text, lambda value, part: value.startswith(part)),
        _operator("ends_with", Text(), _is_text, lambda value, part: value.endswith(part)),
        _operator("matches", PatternShape(), _is_text, _matches),
        _operator(
            "matches_any",
            ListOf(item=PatternShape()),
            _is_text,
            lambda value, patterns: any(pattern.search(value) for pattern in patterns),
        ),
    ),
)
"""Conditions on a tool call: null is absent, Python's equality, a value of the wrong type is an error of the rule."""

JSON = Dialect(
    null_is_missing=False,
    mismatch="misses",
    operators=_PRESENCE
    | _NUMBERS
    | _words(
        _operator("equals", Anything(), _anything, json_equal),
        _operator("not_equals", Anything(), _anything, lambda value, operand: not json_equal(value, operand)),
        _operator(
            "one_of", ListOf(item=Anything()), _anything, lambda value, operand: _json_contains(list(operand), value)
        ),
        _operator(
            "not_one_of",
            ListOf(item=Anything()),
            _anything,
            lambda value, operand: not _json_contains(list(operand), value),
        ),
        _operator("contains", Anything(), _holds_things, _json_contains),
        _operator(
            "not_contains", Anything(), _holds_things, lambda value, operand: not _json_contains(value, operand)
        ),
        _operator("regex", PatternShape(), _is_text, _matches),
        _operator("not_regex", PatternShape(), _is_text, lambda value, pattern: not pattern.search(value)),
        _operator("type", Choice(values=tuple(_TYPES)), _anything, lambda value, name: _TYPES[name](value)),
        _operator("length_gte", Number(whole=True), _has_length, lambda value, least: len(value) >= least),
        _operator("length_lte", Number(whole=True), _has_length, lambda value, most: len(value) <= most),
    ),
)
"""Assertions on JSON: null is present, JSON's equality, a value of the wrong type fails."""
