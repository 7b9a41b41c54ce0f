"""Changes to a file's text at the place of a node; everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import msgspec

from bylaw.errors import Span
from bylaw.reader.nodes import Entry


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
    last = max(entry.node.span.end, entry.where.end)
    end = last if text[last - 1] == "\n" else text.find("\n", last) + 1 or len(text)
    behind = text[last:end].strip()
    if text[start : entry.where.start].strip() or (behind and not behind.startswith("#")):
        raise ValueError(f"{entry.where}: `{entry.key}` shares its line with something else")
    return Edit(start=start, end=end)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; two that overlap are refused."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for before, after in pairwise(ordered):
        if after.start < before.end:
            raise ValueError(f"edits overlap at character {after.start}")
    for edit in reversed(ordered):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
