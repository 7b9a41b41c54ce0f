"""Bundles that come as data instead of text, from whatever read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bylaw.errors import Span
from bylaw.reader import Entry, Limits, ListNode, MapNode, Node, Problems, Scalar, Source, plain

LIMITS = Limits()
"""Those of a file."""


def document_source(document: Mapping[str, Any], *, file: str, problems: Problems) -> Source | None:
    """The document as a file would have given it. It has no lines, so places are told by the way through it."""
    try:
        root = _Reading(problems).node(document, file, 0)
    except _Refused:
        return None
    said = json.dumps(plain(root), sort_keys=True, separators=(",", ":"))
    return Source(path=Path(file), text=said, root=root, sha256=hashlib.sha256(said.encode()).hexdigest())


class _Refused(Exception):
    """There is something in it that no file could hold; the diagnostic is already there."""


class _Reading:
    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.left = LIMITS.nodes

    def node(self, value: Any, where: str, depth: int) -> Node:
        span = Span(file=where)
        self.left -= 1
        if self.left < 0:
            self.problems.add("too-large", f"holds more than {LIMITS.nodes} values", span)
            raise _Refused
        if depth > LIMITS.depth:
            self.problems.add("too-deep", f"nested more than {LIMITS.depth} levels deep, or contains itself", span)
            raise _Refused
        match value:
            case str():
                return Scalar(str.__str__(value), span, "'")
            case None | bool() | int() | float():
                return Scalar(value, span)
            case Mapping():
                return MapNode(dict(self.entries(value, where, depth)), span)
            case list() | tuple():
                return ListNode([self.node(item, f"{where}[{at}]", depth + 1) for at, item in enumerate(value)], span)
        self.problems.add("wrong-type", f"this is a {type(value).__name__}, which no file can hold", span)
        raise _Refused

    def entries(self, value: Mapping[Any, Any], where: str, depth: int) -> Iterator[tuple[str, Entry]]:
        for key, item in value.items():
            inside = f"{where}.{key}"
            if not isinstance(key, str):
                self.problems.add("key-not-text", "a key must be text", Span(file=inside))
                raise _Refused
            yield str.__str__(key), Entry(str.__str__(key), Span(file=inside), self.node(item, inside, depth + 1))
