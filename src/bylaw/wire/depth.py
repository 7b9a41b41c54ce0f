"""How deep data may be nested: everything that looks at it afterwards goes down level by level."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

DEEPEST: Final = 100

_CUT: Final = 2 * DEEPEST
_MARKS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def deep_text(text: str) -> bool:
    """Whether JSON text is nested too deep; brackets inside strings don't count."""
    return _many(text, DEEPEST) and any(depth > DEEPEST for depth, _ in _levels(text))


def flattened(text: str) -> str:
    """JSON text with what lies very deep cut out: still too deep, but not for a parser."""
    if not _many(text, _CUT):
        return text
    kept: list[str] = []
    start = 0
    inside = False
    for depth, at in _levels(text):
        if not inside and depth > _CUT:
            kept.append(text[start:at])
            inside = True
        elif inside and depth <= _CUT:
            kept.append('"..."')
            start = at + 1
            inside = False
    return "".join(kept if inside else [*kept, text[start:]])


def unclosed(text: str) -> bool:
    """Whether JSON text ends before what it began."""
    depth = 0
    last = ""
    for mark in _MARKS.finditer(text):
        last = mark[0]
        depth += (last in "[{") - (last in "]}")
    return depth > 0 or (last.startswith('"') and _MARKS.fullmatch(last + '"') is not None)


def _many(text: str, most: int) -> bool:
    return text.count("{") + text.count("[") > most


def _levels(text: str) -> Iterator[tuple[int, int]]:
    """The level after each bracket, and where that stands."""
    depth = 0
    for mark in _MARKS.finditer(text):
        first = text[mark.start()]
        if first != '"':
            depth += 1 if first in "[{" else -1
            yield depth, mark.start()


def deep_value(value: Any) -> bool:
    """Whether a value is nested too deep, or contains itself."""
    level = _inner(value)
    for _ in range(DEEPEST):
        if not level:
            return False
        level = list({id(inner): inner for outer in level for inner in _inner(outer)}.values())
    return True


def _inner(value: Any) -> list[Any]:
    if type(value) is dict:
        return [inner for inner in value.values() if type(inner) is dict or type(inner) is list]
    if type(value) is list:
        return [inner for inner in value if type(inner) is dict or type(inner) is list]
    return []
