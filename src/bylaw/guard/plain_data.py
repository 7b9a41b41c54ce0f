"""Whether the text of an answer shows all of it.

An iterator, an open file or an object of a class of its own can hold what its text does not say. A rule that is to
keep something from the caller can't be judged on that.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec

DEEPEST = 100
_ATOMS = frozenset(
    {str, int, float, bool, type(None), bytes, complex, Decimal, Fraction, date, datetime, time, timedelta, UUID}
    | {type(Path())}
)
_LISTS = frozenset({list, tuple, set, frozenset})
_MAPPINGS = frozenset({dict, OrderedDict, defaultdict, Counter})


def strange_in(value: Any, depth: int = 0) -> str | None:
    """The kind of something in the value that its text may not show; None if there is no such thing."""
    kind = type(value)
    if kind in _ATOMS:
        return None
    if depth > DEEPEST:
        return "value nested too deep"
    if kind in _LISTS:
        return _strange_among(value, depth)
    if kind in _MAPPINGS:
        return _strange_among(value, depth) or _strange_among(value.values(), depth)
    if issubclass(kind, Enum):
        return _strange_among((value.value,), depth)
    if issubclass(kind, tuple) and kind.__repr__ is not tuple.__repr__ and "_fields" in kind.__dict__:
        return _strange_among(tuple.__iter__(value), depth)
    if issubclass(kind, msgspec.Struct):
        return _strange_among([getattr(value, name) for name in kind.__struct_fields__], depth)
    if dataclasses.is_dataclass(kind):
        fields = dataclasses.fields(kind)
        if all(field.repr for field in fields):
            return _strange_among([getattr(value, field.name) for field in fields], depth)
    return kind.__name__


def _strange_among(values: Iterable[Any], depth: int) -> str | None:
    for value in values:
        if type(value) not in _ATOMS:
            found = strange_in(value, depth + 1)
            if found is not None:
                return found
    return None
