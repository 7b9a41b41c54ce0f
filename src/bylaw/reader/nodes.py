"""What a YAML text says, with the place of every part."""

from __future__ import annotations

from typing import Any

import msgspec

from bylaw.errors import Span

Value = None | bool | int | float | str


class Scalar(msgspec.Struct, frozen=True, gc=False):
    """A value; `quoted` is how it was written, which decides whether a backslash was doubled by mistake."""

    value: Value
    span: Span
    quoted: str = ""


class ListNode(msgspec.Struct, frozen=True):
    items: list[Node]
    span: Span


class Entry(msgspec.Struct, frozen=True):
    """One key of a mapping, its place, and its value."""

    key: str
    where: Span
    node: Node


class MapNode(msgspec.Struct, frozen=True):
    entries: dict[str, Entry]
    span: Span

    def get(self, key: str) -> Node | None:
        entry = self.entries.get(key)
        return None if entry is None else entry.node

    def where(self, key: str) -> Span:
        """The place of a key, or of the whole mapping where it is absent."""
        entry = self.entries.get(key)
        return self.span if entry is None else entry.where


Node = Scalar | ListNode | MapNode


def plain(node: Node) -> Any:
    """The same as ordinary Python data."""
    match node:
        case Scalar():
            return node.value
        case ListNode():
            return [plain(item) for item in node.items]
        case MapNode():
            return {key: plain(entry.node) for key, entry in node.entries.items()}


def describe(node: Node) -> str:
    """What a node is, in the words of someone who writes YAML."""
    match node:
        case ListNode():
            return "a list"
        case MapNode():
            return "a mapping"
        case Scalar(value=None):
            return "empty"
        case Scalar(value=bool()):
            return "true or false"
        case Scalar(value=int() | float()):
            return "a number"
        case Scalar():
            return "text"
