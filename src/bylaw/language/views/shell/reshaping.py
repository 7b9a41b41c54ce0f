"""What the operators of `${name…}` make of a text; nothing where that depends on more than these simple forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_GLOB = re.compile(r"[*?\[\\]")
_SLICE = re.compile(r"\s*(-?\d{1,6})\s*(?::\s*(-?\d{1,6})\s*)?")


def reshape(text: str, operator: str, argument: str) -> str | None:
    """The text after `#pattern`, `%pattern`, `/pattern/text`, `^^`, `:offset:length` and their like."""
    if operator[0] in "#%":
        return _cut(text, operator, argument)
    if operator[0] == "/":
        return _replace(text, operator, argument)
    if operator == ":":
        return _slice(text, argument)
    change = _CASES.get(operator + argument)
    return None if change is None else change(text)


_CASES: Final[dict[str, Callable[[str], str]]] = {
    "^": lambda text: text[:1].upper() + text[1:],
    "^^": str.upper,
    ",": lambda text: text[:1].lower() + text[1:],
    ",,": str.lower,
    "@u": lambda text: text[:1].upper() + text[1:],
    "@U": str.upper,
    "@L": str.lower,
    "@Q": str,
}


def _cut(text: str, operator: str, pattern: str) -> str | None:
    """Without its beginning or its end; a suffix is a prefix read backwards."""
    if operator[0] == "%":
        left = _cut(text[::-1], "#" * len(operator), pattern[::-1])
        return None if left is None else left[::-1]
    if pattern and set(pattern) == {"?"}:
        return text[len(pattern) :] if len(text) >= len(pattern) else text
    longest = operator == "##"
    if pattern.startswith("*") and not _GLOB.search(pattern[1:]):
        wanted = pattern[1:]
        found = text.rfind(wanted) if longest else text.find(wanted)
        return text if found < 0 else text[found + len(wanted) :]
    if pattern.endswith("*") and not _GLOB.search(pattern[:-1]):
        if not text.startswith(pattern[:-1]):
            return text
        return "" if longest else text[len(pattern) - 1 :]
    return None if _GLOB.search(pattern) else text.removeprefix(pattern)


def _replace(text: str, operator: str, argument: str) -> str | None:
    wanted, _, replacement = argument.partition("/")
    if not wanted or _GLOB.search(wanted) or "&" in replacement or "\\" in replacement:
        return None
    if operator == "/#":
        return replacement + text[len(wanted) :] if text.startswith(wanted) else text
    if operator == "/%":
        return text[: -len(wanted)] + replacement if text.endswith(wanted) else text
    return text.replace(wanted, replacement, -1 if operator == "//" else 1)


def _slice(text: str, argument: str) -> str | None:
    found = _SLICE.fullmatch(argument)
    if found is None:
        return None
    start = int(found[1])
    start = start if start >= 0 else len(text) + start
    if start < 0:
        return ""
    if found[2] is None:
        return text[start:]
    length = int(found[2])
    return text[start : start + length] if length >= 0 else text[start:length]
