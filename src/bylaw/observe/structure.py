"""What was seen at every place of some arguments, put together: which types, how often, and what was never told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from bylaw.guard.backtests.hidden import is_marked
from bylaw.language.operators import json_equal
from bylaw.observe import schemas
from bylaw.observe.places import Steps, path_of
from bylaw.observe.schemas import Schemas
from bylaw.reader.writing import write

DEEPEST = 5
MOST_FIELDS = 2_000
MOST_ITEMS = 100
_CUT = "…"


class Structure:
    """One place. Adding a value can only loosen what will be said of it."""

    def __init__(self, described: Schemas) -> None:
        self.described = described
        self.allowed = _writable(schemas.allowed(described))
        self.seen = 0
        self.types: set[str] = set()
        self.unknown = False
        self.outside = False
        self.emptied = False
        self.fields: dict[str, Structure] = {}
        self.item: Structure | None = None

    def add(self, value: Any, hidden: frozenset[str], place: str = "", depth: int = 0) -> None:
        """`hidden` has the dotted places whose value is not what it was, and `place` is this one's."""
        self.seen += 1
        changed = place in hidden and depth > 0
        if isinstance(value, str) and (changed or is_marked(value)):
            self.unknown = True
            return
        self.types.add(_type_of(value))
        if self.allowed is not None and not any(json_equal(value, member) for member in self.allowed):
            self.outside = True
        if depth == DEEPEST:
            return
        if isinstance(value, Mapping):
            self._add_fields(value, hidden, place, depth)
        elif isinstance(value, list | tuple):
            self._add_items(value, hidden, place, depth)

    def _add_fields(self, value: Mapping[str, Any], hidden: frozenset[str], place: str, depth: int) -> None:
        for name, inner in value.items():
            if name.startswith(_CUT) or is_marked(name):
                continue
            if name not in self.fields:
                if len(self.fields) == MOST_FIELDS:
                    continue
                self.fields[name] = Structure(schemas.field(self.described, name))
            self.fields[name].add(inner, hidden, f"{place}.{name}" if depth else name, depth + 1)

    def _add_items(self, values: list[Any] | tuple[Any, ...], hidden: frozenset[str], place: str, depth: int) -> None:
        if place in hidden and values and isinstance(values[-1], str) and is_marked(values[-1]):
            values = values[:-1]
        self.emptied = self.emptied or not values
        if self.item is None:
            self.item = Structure(schemas.item(self.described))
        for index, inner in enumerate(islice(values, MOST_ITEMS)):
            self.item.add(inner, hidden, f"{place}.{index}", depth + 1)

    @property
    def type(self) -> str | None:
        """The type that all values share. Null is a value, not a structure: it says nothing of what comes next."""
        if self.unknown:
            return None
        if self.types == {"integer"}:
            return "number" if schemas.any_number(self.described) else "integer"
        if self.types == {"integer", "number"}:
            return "number"
        return next(iter(self.types)) if len(self.types) == 1 and "null" not in self.types else None

    @property
    def one_of(self) -> list[Any] | None:
        return None if self.unknown or self.outside else self.allowed


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What can be said of a place, and what there is to be looked at by a person."""

    path: str
    checks: Mapping[str, Any] = {}
    remark: str = ""


def told(structure: Structure) -> Iterator[Told]:
    """Everything there is to say of the fields of some arguments, and of what is in them."""
    yield from _fields(structure, ())


def _fields(structure: Structure, steps: Steps) -> Iterator[Told]:
    for name, inner in structure.fields.items():
        if inner.seen < structure.seen:
            yield Told(path=path_of((*steps, name)), remark="was not always there")
        else:
            yield from _always(inner, (*steps, name))


def _always(structure: Structure, steps: Steps) -> Iterator[Told]:
    path, kind = path_of(steps), structure.type
    if structure.one_of is not None:
        yield Told(path=path, checks={"one_of": structure.one_of})
        return
    checks: dict[str, Any] = {"exists": True}
    if kind is not None:
        checks["type"] = kind
    filled = kind == "array" and not structure.emptied
    if filled:
        checks["length_gte"] = 1
    yield Told(path=path, checks=checks, remark=_remark(structure, kind))
    if kind == "object":
        yield from _fields(structure, steps)
    elif filled and structure.item is not None and structure.item.seen:
        yield from _always(structure.item, (*steps, 0))


def _remark(structure: Structure, kind: str | None) -> str:
    if structure.unknown:
        return "was hidden, so its type is not known"
    if structure.outside:
        return "was not always one of the values that the tool's schema allows"
    if structure.types == {"null"}:
        return "was null, which says nothing of its type"
    return f"was of several types: {', '.join(sorted(structure.types))}" if kind is None else ""


def _type_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case Mapping():
            return "object"
    return "array"


def _writable(values: list[Any] | None) -> list[Any] | None:
    """A contract is a file: what it can't hold is not asked for."""
    if values is None:
        return None
    try:
        write(values)
    except ValueError:
        return None
    return values
