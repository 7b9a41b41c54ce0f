"""JSON Schemas as operands. Their patterns are searched in bounded time, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import msgspec

from bylaw.language.regex import PatternError, compile_pattern
from bylaw.reader import BAD, Bad, MapNode, Node, Problems, Scalar, plain
from bylaw.reader.shapes import wrong_type

_compiled = lru_cache(maxsize=1024)(compile_pattern)


class JsonSchema:
    """A schema made ready."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self._validator = _validator_class()(source, registry=_nothing_elsewhere())

    def holds(self, value: Any) -> bool:
        return bool(self._validator.is_valid(value))

    def __repr__(self) -> str:
        return f"<JsonSchema {self.source!r}>"


class JsonSchemaShape(msgspec.Struct, frozen=True, kw_only=True):
    says = "a JSON Schema"

    def read(self, node: Node, problems: Problems) -> JsonSchema | Bad:
        if not isinstance(node, MapNode) and not (isinstance(node, Scalar) and isinstance(node.value, bool)):
            return wrong_type(self, node, problems)
        source = plain(node)
        wrong = wrong_in(source)
        if wrong:
            problems.add("bad-schema", f"this is not a JSON Schema: {wrong}", node.span)
            return BAD
        return JsonSchema(source)

    def schema(self) -> dict[str, Any]:
        return {"type": ["object", "boolean"]}


def wrong_in(source: Any) -> str:
    """What is wrong with a schema, or the empty string."""
    from jsonschema.exceptions import SchemaError  # 60 ms to import, and most contracts have no schema

    try:
        _validator_class().check_schema(source)
        for pattern in _patterns(source):
            _compiled(pattern)
    except SchemaError as error:
        return str(error.message)
    except PatternError as error:
        return f"a pattern in it is none: {error}"
    reference = next(_references_elsewhere(source), "")
    if reference:
        return f"`{reference}` is not in it, and nothing is fetched"
    return _astray(source)


def _patterns(source: Any) -> Iterator[str]:
    if isinstance(source, Mapping):
        pattern = source.get("pattern")
        if isinstance(pattern, str):
            yield pattern
        properties = source.get("patternProperties")
        if isinstance(properties, Mapping):
            yield from properties
        for inner in source.values():
            yield from _patterns(inner)
    elif isinstance(source, list):
        for inner in source:
            yield from _patterns(inner)


def _references_elsewhere(source: Any) -> Iterator[str]:
    if isinstance(source, Mapping):
        reference = source.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            yield reference
        for inner in source.values():
            yield from _references_elsewhere(inner)
    elif isinstance(source, list):
        for inner in source:
            yield from _references_elsewhere(inner)


_IN_PLACE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
"""Keywords whose schemas are asked of the same value; a circle of them and of references would never end."""
_NO_SCHEMAS = frozenset({"const", "enum", "default", "examples"})


def _astray(source: Any) -> str:
    """A reference that leads nowhere, or back to itself without a step into the value."""
    schemas = list(_schemas(source))
    if any("$id" in schema for schema in schemas[1:]):
        return ""
    anchors = {schema[key]: schema for schema in schemas for key in ("$anchor", "$dynamicAnchor") if key in schema}
    leads: dict[int, Any] = {}
    for schema in schemas:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = _target(source, reference, anchors)
            if target is None:
                return f"`{reference}` leads nowhere in it"
            leads[id(schema)] = target
    circle = next((schema["$ref"] for schema in schemas if "$ref" in schema and _returns(schema, leads)), None)
    return "" if circle is None else f"`{circle}` leads back to itself"


def _schemas(source: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(source, Mapping):
        yield source
        for key, inner in source.items():
            if key not in _NO_SCHEMAS:
                yield from _schemas(inner)
    elif isinstance(source, list):
        for inner in source:
            yield from _schemas(inner)


def _target(source: Any, reference: str, anchors: Mapping[str, Any]) -> Any:
    pointer = unquote(reference[1:])
    if not pointer.startswith("/"):
        return source if not pointer else anchors.get(pointer)
    found = source
    for part in pointer[1:].split("/"):
        step = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        elif isinstance(found, Mapping) and step in found:
            found = found[step]
        else:
            return None
    return found


def _returns(start: Mapping[str, Any], leads: Mapping[int, Any]) -> bool:
    waiting, seen = list(_beside(start, leads)), set()
    while waiting:
        schema = waiting.pop()
        if schema is start:
            return True
        if id(schema) not in seen:
            seen.add(id(schema))
            waiting += _beside(schema, leads)
    return False


def _beside(schema: Mapping[str, Any], leads: Mapping[int, Any]) -> Iterator[Mapping[str, Any]]:
    """The schemas that are asked of the same value as this one."""
    found = [leads.get(id(schema))]
    for key in _IN_PLACE:
        inner = schema.get(key)
        found += (
            inner if isinstance(inner, list) else inner.values() if key == "dependentSchemas" and inner else [inner]
        )
    yield from (each for each in found if isinstance(each, Mapping))


@lru_cache(maxsize=1)
def _validator_class() -> Any:
    from jsonschema import Draft202012Validator, ValidationError  # as above
    from jsonschema.validators import extend

    def pattern(_: Any, wanted: str, value: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not _compiled(wanted).search(value):
            yield ValidationError(f"{value!r} does not match {wanted!r}")

    def pattern_properties(validator: Any, wanted: Mapping[str, Any], value: Any, __: Any) -> Iterator[Any]:
        if isinstance(value, Mapping):
            for source, schema in wanted.items():
                for name, inner in value.items():
                    if _compiled(source).search(name):
                        yield from validator.descend(inner, schema, path=name, schema_path=source)

    ours = {"pattern": pattern, "patternProperties": pattern_properties}
    return extend(Draft202012Validator, ours)  # type: ignore[no-untyped-call]  # the library says nothing of its types


@lru_cache(maxsize=1)
def _nothing_elsewhere() -> Any:
    from referencing import Registry  # as above

    return Registry()
