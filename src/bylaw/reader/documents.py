"""Documents: classes whose annotated fields say once what a file may hold.

Out of the annotations come the reader, the diagnostics and the JSON Schema. A field's type is one of: `str`, `int`,
`float`, `bool`, `Literal`, `tuple[X, ...]`, `Mapping[str, X]`, `X | None`, `Any`, `Node`, another document, a union
of documents told apart by a `Literal` field, or a class with a `shape()` of its own. `Annotated` adds `Text`,
`Bounds`, `Items`, another shape, and plain strings that describe the field to an editor.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from bylaw.errors import NOWHERE, Span
from bylaw.reader import shapes
from bylaw.reader.nodes import ListNode, MapNode, Node, Scalar
from bylaw.reader.problems import Problems, listing, near
from bylaw.reader.shapes import BAD, Bad, Bounds, Items, Shape, Text, wrong_type


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """Something a file says. `at` is where; `called` names it in diagnostics."""

    at: MapNode = MapNode({}, NOWHERE)
    called: ClassVar[str] = "this mapping"

    def where(self, key: str) -> Span:
        return self.at.where(key)

    def check(self, problems: Problems) -> None:
        """What no single field can see: rules between fields. Called once all of them are good."""


D = TypeVar("D", bound=Document)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of a document class."""

    document: type[Document]

    @property
    def says(self) -> str:
        return "a mapping"

    def read(self, node: Node, problems: Problems) -> Any:
        return read_record(self.document, node, problems)

    def schema(self) -> dict[str, Any]:
        return record_schema(self.document)


class Variants(msgspec.Struct, frozen=True, kw_only=True):
    """Documents told apart by the value of one field."""

    by: str
    documents: Mapping[str, type[Document]]

    says = "a mapping"

    def read(self, node: Node, problems: Problems) -> Any:
        if not isinstance(node, MapNode):
            return wrong_type(self, node, problems)
        kind = node.get(self.by)
        if kind is None:
            hint = f"it is one of {listing(self.documents)}"
            problems.add("missing-key", f"`{self.by}` is missing", node.span, hint=hint)
            return BAD
        word = shapes.Choice(values=tuple(self.documents)).read(kind, problems)
        return BAD if isinstance(word, Bad) else read_record(self.documents[str(word)], node, problems)

    def schema(self) -> dict[str, Any]:
        return {"oneOf": [record_schema(document) for document in dict.fromkeys(self.documents.values())]}


class Field(msgspec.Struct, frozen=True, kw_only=True):
    shape: Any
    required: bool
    about: str = ""


@cache
def fields_of(document: type[Document]) -> Mapping[str, Field]:
    """The fields a file may write, by the name it writes them with."""
    hints = get_type_hints(document, include_extras=True)
    found: dict[str, Field] = {}
    for info in msgspec.structs.fields(document):
        if info.name == "at":
            continue
        hint = hints[info.name]
        about = " ".join(note for note in getattr(hint, "__metadata__", ()) if isinstance(note, str))
        found[info.encode_name] = Field(shape=shape_of(hint), required=info.required, about=about)
    return found


@cache
def _attributes(document: type[Document]) -> Mapping[str, str]:
    return {info.encode_name: info.name for info in msgspec.structs.fields(document)}


def shape_of(hint: Any) -> Shape:
    """The shape a type annotation stands for."""
    notes: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        notes = hint.__metadata__
        hint = get_args(hint)[0]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType) and type(None) in args:
        return shapes.Optional(shape=shape_of(_annotated(_without_none(args), notes)))
    for note in notes:
        if isinstance(note, Text):
            return note
        if hasattr(note, "read") and hasattr(note, "schema"):
            return note  # type: ignore[no-any-return]  # it has what a shape has
    items = next((note for note in notes if isinstance(note, Items)), Items())
    if origin is Literal:
        return shapes.Choice(values=args)
    if origin is tuple:
        return shapes.ListOf(item=shape_of(args[0]), items=items)
    if origin is Mapping:
        return shapes.MapOf(value=shape_of(args[1]), items=items)
    if origin in (Union, types.UnionType):
        return _union(args)
    return _simple(hint, notes)


def _annotated(hint: Any, notes: tuple[Any, ...]) -> Any:
    return Annotated[(hint, *notes)] if notes else hint


def _without_none(args: tuple[Any, ...]) -> Any:
    rest = tuple(arg for arg in args if arg is not type(None))
    return rest[0] if len(rest) == 1 else Union[rest]  # noqa: UP007 (built at run time)


def _simple(hint: Any, notes: tuple[Any, ...]) -> Shape:
    bounds = next((note for note in notes if isinstance(note, Bounds)), Bounds())
    if hint is str:
        return Text()
    if hint is bool:
        return shapes.Flag()
    if hint in (int, float):
        return shapes.Number(whole=hint is int, bounds=bounds)
    if hint is Any:
        return shapes.Anything()
    if isinstance(hint, type) and issubclass(hint, Document):
        return Record(document=hint)
    if hasattr(hint, "shape"):
        return hint.shape()  # type: ignore[no-any-return]  # a class that reads itself says how
    raise TypeError(f"no shape for the annotation {hint!r}")


def _union(args: tuple[Any, ...]) -> Shape:
    if set(args) == {Scalar, ListNode, MapNode}:
        return shapes.Raw()
    if all(isinstance(arg, type) and issubclass(arg, Document) for arg in args):
        return _variants(args)
    return shapes.OneOf(alternatives=[(_looks_like(arg), shape_of(arg)) for arg in args])


def _variants(documents: tuple[type[Document], ...]) -> Variants:
    for info in msgspec.structs.fields(documents[0]):
        words = [_literal(document, info.name) for document in documents]
        if all(words):
            return Variants(
                by=info.encode_name,
                documents={word: doc for doc, found in zip(documents, words, strict=True) for word in found},
            )
    raise TypeError(f"nothing tells {documents} apart")


def _literal(document: type[Document], field: str) -> tuple[str, ...]:
    hint = get_type_hints(document).get(field)
    return get_args(hint) if get_origin(hint) is Literal else ()


def _looks_like(hint: Any) -> Any:
    """Whether a node is of the kind that a type is written as."""
    plain = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    origin = get_origin(plain) or plain
    if origin is str:
        return lambda node: isinstance(node, Scalar) and isinstance(node.value, str)
    if origin is bool:
        return lambda node: isinstance(node, Scalar) and isinstance(node.value, bool)
    if origin in (int, float):
        return lambda node: isinstance(node, Scalar) and type(node.value) in (int, float)
    if origin is tuple:
        return lambda node: isinstance(node, ListNode)
    if origin is Literal:
        return lambda node: isinstance(node, Scalar)
    return lambda node: isinstance(node, MapNode)


def read_record(
    document: type[D], node: Node, problems: Problems, *, beside: frozenset[str] = frozenset()
) -> D | Bad:
    """A document out of a mapping. Keys named in `beside` belong to somebody else and are passed over."""
    if not isinstance(node, MapNode):
        return wrong_type(Record(document=document), node, problems)
    fields, attributes = fields_of(document), _attributes(document)
    values: dict[str, Any] = {"at": node}
    good = True
    for key, entry in node.entries.items():
        field = fields.get(key)
        if field is not None:
            value = field.shape.read(entry.node, problems)
            good = good and value is not BAD
            values[attributes[key]] = value
        elif key not in beside:
            hint = near(key, fields.keys() | beside) or f"it knows {listing(sorted(fields.keys() | beside))}"
            problems.add("unknown-key", f"`{key}` is not a key of {document.called}", entry.where, hint=hint)
            good = False
    for key, field in fields.items():
        if field.required and key not in node.entries:
            problems.add("missing-key", f"`{key}` is missing in {document.called}", node.span)
            good = False
    if not good:
        return BAD
    found = document(**values)
    before = len(problems.errors)
    found.check(problems)
    return found if len(problems.errors) == before else BAD


def read(document: type[D], node: Node, problems: Problems) -> D | None:
    """The document a node says, or None with everything that is wrong in `problems`."""
    found = read_record(document, node, problems)
    return None if isinstance(found, Bad) else found


def record_schema(document: type[Document]) -> dict[str, Any]:
    fields = fields_of(document)
    properties = {}
    for key, field in fields.items():
        properties[key] = field.shape.schema() | ({"description": field.about} if field.about else {})
    found: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [key for key, field in fields.items() if field.required]:
        found["required"] = required
    return found


def schema(document: type[Document], *, title: str) -> dict[str, Any]:
    """The JSON Schema of a document, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **record_schema(document)}
