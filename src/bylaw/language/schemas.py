"""JSON Schemas as operands. Their patterns are searched in bounded time, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

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
    return f"`{reference}` is not in it, and nothing is fetched" if reference else ""


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
