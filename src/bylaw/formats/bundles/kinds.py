"""The three kinds of contract: which one a mapping is, and what in it belongs to another.

What only the kind decides is looked at whether the fields are good or not, so that all of it is told at once. Where
the kind itself is wrong, the rest is read as what it most likely is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bylaw.formats.bundles.contracts import Condition, Contract, Post, Pre, Session
from bylaw.reader import BAD, Bad, Entry, ListNode, MapNode, Node, Problems, Scalar
from bylaw.reader.documents import Variants, fields_of, read_record
from bylaw.reader.problems import listing
from bylaw.reader.shapes import Choice, wrong_type

KINDS: Mapping[str, type[Contract]] = {"pre": Pre, "post": Post, "session": Session}
_OF_THE_KIND = frozenset({"wrong-effect", "wrong-example", "not-here", "selector-not-here"})


class ContractShape(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of one contract."""

    says = "a mapping"

    def read(self, node: Node, problems: Problems) -> Any:
        if not isinstance(node, MapNode):
            return wrong_type(self, node, problems)
        named = node.get("type")
        if named is None:
            hint = f"it is one of {listing(KINDS)}"
            problems.add("missing-key", "`type` is missing", node.span, hint=hint)
            word: Any = BAD
        else:
            word = Choice(values=tuple(KINDS)).read(named, problems)
        if not isinstance(word, Bad):
            return _read(str(word), node, problems)
        guessed = Problems()
        _read(_likely(node), node, guessed)
        problems.extend(found for found in guessed.all if found.code not in _OF_THE_KIND)
        return BAD

    def schema(self) -> dict[str, Any]:
        return Variants(by="type", documents=KINDS).schema()


def _likely(node: MapNode) -> str:
    if "limits" in node.entries:
        return "session"
    return "post" if _value(node.get("then"), "effect") == "warn" else "pre"


def _value(node: Node | None, key: str) -> Any:
    inner = node.get(key) if isinstance(node, MapNode) else None
    return inner.value if isinstance(inner, Scalar) else None


def _read(kind: str, node: MapNode, problems: Problems) -> Any:
    document = KINDS[kind]
    before = len(problems.errors)
    foreign = frozenset(_foreign(document, node))
    found = read_record(document, _as(kind, node), problems, beside=foreign)
    for key in sorted(foreign):
        owners = listing(name for name, other in KINDS.items() if key in fields_of(other))
        problems.add("not-here", f"`{key}` is for {owners} contracts", node.where(key), hint="remove it")
    _check_then(kind, document, node.get("then"), problems)
    if issubclass(document, Condition):
        _check_tools(node, problems)
        _check_examples(document, node.get("examples"), problems)
    return found if len(problems.errors) == before else BAD


def _as(kind: str, node: MapNode) -> MapNode:
    where = node.where("type")
    return MapNode({**node.entries, "type": Entry("type", where, Scalar(kind, where))}, node.span)


def _foreign(document: type[Contract], node: MapNode) -> Iterator[str]:
    known = {key for other in KINDS.values() for key in fields_of(other)} - fields_of(document).keys()
    return (key for key in node.entries if key in known)


def _check_then(kind: str, document: type[Contract], then: Node | None, problems: Problems) -> None:
    if not isinstance(then, MapNode):
        return
    if _value(then, "effect") in {"deny", "warn"} - {document.effect}:
        problems.add(
            "wrong-effect",
            f"a `{kind}` contract can only {document.effect}",
            then.where("effect"),
            hint=f"write `effect: {document.effect}`",
        )
    if _value(then, "output") is not None and document.effect != "warn":
        problems.add(
            "not-here",
            "`output` says what becomes of an answer, which only a `post` contract looks at",
            then.where("output"),
            hint="remove it",
        )


def _check_tools(node: MapNode, problems: Problems) -> None:
    given = [key for key in ("tool", "tools") if not _is_empty(node.get(key))]
    if not given:
        hint = "write `tool: NAME`, or `tools:` with a list of names and globs"
        problems.add("missing-key", "`tool` is missing", node.span, hint=hint)
    elif len(given) > 1:
        hint = "list all of them under `tools`"
        problems.add("contradiction", "`tool` and `tools` can't both be given", node.where("tools"), hint=hint)


def _is_empty(node: Node | None) -> bool:
    return node is None or (isinstance(node, Scalar) and node.value is None)


def _check_examples(document: type[Contract], examples: Node | None, problems: Problems) -> None:
    (other,) = {"deny", "warn"} - {document.effect}
    listed = examples.get(other) if isinstance(examples, MapNode) else None
    for example in listed.items if isinstance(listed, ListNode) else ():
        problems.add(
            "wrong-example",
            f"this contract can't {other}",
            example.span,
            hint=f"list it under `{document.effect}:`",
        )
