"""Changes to a file's text at the place of a node; everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import msgspec

from bylaw.errors import Span
from bylaw.reader.nodes import Entry, ListNode, MapNode


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """Replace the characters from `start` up to `end` by `text`."""

    start: int
    end: int
    text: str = ""


def replace(span: Span, text: str) -> Edit:
    return Edit(start=span.start, end=span.end, text=text)


def remove(text: str, entry: Entry) -> Edit:
    """Takes an entry of a block mapping out, with its lines and the comment behind it on the same line."""
    start = text.rfind("\n", 0, entry.where.start) + 1
    if text[start : entry.where.start].strip():
        raise ValueError(f"{entry.where}: `{entry.key}` shares its line with something else")
    end = text.find("\n", _last(entry))
    return Edit(start=start, end=len(text) if end < 0 else end + 1)


def _last(entry: Entry) -> int:
    """The last character of an entry's value; a block collection ends where the next token begins, so look inside."""
    node = entry.node
    while True:
        match node:
            case ListNode(items=[*_, last]):
                node = last
            case MapNode(entries=entries) if entries:
                node = list(entries.values())[-1].node
            case _:
                return max(node.span.end - 1, entry.where.end)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; two that overlap are refused."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for before, after in pairwise(ordered):
        if after.start < before.end:
            raise ValueError(f"edits overlap at character {after.start}")
    for edit in reversed(ordered):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
