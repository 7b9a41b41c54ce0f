"""What a tool's own JSON Schema says of a place in its arguments: the values allowed there, and its type.

A place may be described by several schemas: those of several observations, whose tools may have changed in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

_LONGEST_CHAIN = 20
_MOST_VALUES = 1_000
_EITHER = ("anyOf", "oneOf")


class Place:
    """A schema and the root that its references begin at."""

    __slots__ = ("root", "schema")

    def __init__(self, schema: Any, root: Any) -> None:
        self.root = root
        self.schema = _followed(schema, root)

    def branches(self, *words: str) -> Iterator[Place]:
        for word in words:
            listed = self.schema.get(word)
            if isinstance(listed, list):
                yield from (Place(inner, self.root) for inner in listed)

    def parts(self) -> Iterator[Place]:
        """Itself and every schema it is put together from, each once: a schema may refer to itself."""
        seen: set[int] = set()
        left = [self]
        while left:
            place = left.pop(0)
            if id(place.schema) not in seen:
                seen.add(id(place.schema))
                yield place
                left += place.branches(*_EITHER, "allOf")


Schemas = tuple[Place, ...]


def _followed(schema: Any, root: Any) -> dict[str, Any]:
    """The schema a local reference stands for; what can't be followed says nothing."""
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(schema, dict):
            return _SILENT
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        schema = _at(reference, root)
    return _SILENT


_SILENT: dict[str, Any] = {}


def _at(reference: str, root: Any) -> Any:
    if not reference.startswith("#"):
        return None
    found = root
    for part in reference[1:].split("/")[1:]:
        if not isinstance(found, dict):
            return None
        found = found.get(part.replace("~1", "/").replace("~0", "~"))
    return found


def field(places: Schemas, name: str) -> Schemas:
    """What is said of a field of an object."""
    return tuple(
        Place(properties[name], part.root)
        for place in places
        for part in place.parts()
        if isinstance(properties := part.schema.get("properties"), dict) and name in properties
    )


def item(places: Schemas) -> Schemas:
    """What is said of the elements of an array."""
    return tuple(found for place in places for part in place.parts() for found in _items(part))


def _items(part: Place) -> Iterator[Place]:
    first, every = part.schema.get("prefixItems"), part.schema.get("items")
    for inner in first if isinstance(first, list) else []:
        yield Place(inner, part.root)
    if isinstance(every, dict):
        yield Place(every, part.root)


def any_number(places: Schemas) -> bool:
    """Whether a number with a fraction may stand where a whole one was seen."""
    said = [part.schema.get("type") for place in places for part in place.parts()]
    return any(kind == "number" or (isinstance(kind, list) and "number" in kind) for kind in said)


def allowed(places: Schemas) -> list[Any] | None:
    """The only values that may stand there, or None where that is not said."""
    found = [_allowed(place, {}) for place in places]
    if not found or None in found:
        return None
    values = {msgspec.json.encode(value, order="sorted"): value for some in found for value in some or ()}
    return list(values.values()) if 0 < len(values) <= _MOST_VALUES else None


_Known = dict[int, list[Any] | None]


def _allowed(place: Place, known: _Known) -> list[Any] | None:
    schema = place.schema
    if id(schema) in known:
        return known[id(schema)]
    known[id(schema)] = found = None
    if "const" in schema:
        found = [schema["const"]]
    elif isinstance(schema.get("enum"), list):
        found = list(schema["enum"])
    else:
        found = _of_all(place, known) or _of_either(place, known)
    if found and schema.get("nullable") is True:
        found = [*found, None]
    known[id(schema)] = found
    return found


def _of_all(place: Place, known: _Known) -> list[Any] | None:
    return next((found for part in place.branches("allOf") if (found := _allowed(part, known)) is not None), None)


def _of_either(place: Place, known: _Known) -> list[Any] | None:
    """Every branch must say its values; one that says only that null is fine adds that to the others'."""
    branches = list(place.branches(*_EITHER))
    listed = [_allowed(branch, known) for branch in branches]
    if all(some is None for some in listed):
        return None
    values: list[Any] = []
    for branch, some in zip(branches, listed, strict=True):
        if some is None and branch.schema.get("type") != "null":
            return None
        values += [None] if some is None else some
    return values if len(values) <= _MOST_VALUES else None
