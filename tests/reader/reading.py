"""Reading a text in one line, with what there was to say about it."""

from __future__ import annotations

from typing import Any, TypeVar

from bylaw.errors import Diagnostic
from bylaw.reader import Document, Limits, Node, Problems, parse, plain, read

D = TypeVar("D", bound=Document)


def parsed(text: str, *, limits: Limits | None = None) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    problems = Problems()
    node = parse(text, file="f.yaml", problems=problems, limits=limits or Limits())
    return node, problems.all


def node_of(text: str) -> Node:
    node, said = parsed(text)
    assert node is not None
    assert not said
    return node


def value_of(text: str) -> Any:
    return plain(node_of(text))


def brief(said: tuple[Diagnostic, ...]) -> list[tuple[str, str]]:
    """Each diagnostic as its code and place."""
    return [(one.code, f"{one.where.line}:{one.where.column}") for one in said]


def document(kind: type[D], text: str) -> tuple[D | None, tuple[Diagnostic, ...]]:
    problems = Problems()
    node = parse(text, file="f.yaml", problems=problems)
    assert node is not None, problems.all
    return read(kind, node, problems), problems.all
