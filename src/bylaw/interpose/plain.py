"""Any Python value as plain JSON data, bounded: what an agent passes to a tool becomes evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from uuid import UUID

import msgspec

DEEPEST = 32
MOST_VALUES = 100_000
LONGEST_REPR = 10_000

_LARGEST_INT = 2**63
_FULL = "<more values than can be kept>"

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
_Compound = Mapping[object, object] | Iterable[object]


def plain(value: object) -> Plain:
    """The value as data that any JSON reader takes back unchanged.

    Strings are kept whole. What JSON has no word for becomes text: bytes, numbers out of range, objects (their repr),
    and, where the value is endless, too deep or too large, a note of that.
    """
    return _Walk().plain(value)


def text(value: object) -> str:
    """As a person or a model would read it: strings as they are, mappings and lists as JSON, the rest by `str`."""
    if isinstance(value, bytes | bytearray):
        return value.decode(errors="backslashreplace")
    if isinstance(value, Mapping | list | tuple):
        return msgspec.json.encode(plain(value)).decode()
    return _clean(value) if isinstance(value, str) else _printed(value, str)


def named(problem: BaseException) -> str:
    """An exception in one line: its type, and its message where it has one."""
    said = _printed(problem, str)
    return f"{type(problem).__name__}: {said}" if said else type(problem).__name__


def _clean(words: str) -> str:
    """A lone surrogate has no bytes in UTF-8; it is written out."""
    exact = str.__str__(words)
    return exact if exact.isascii() else exact.encode(errors="backslashreplace").decode()


def _printed(value: object, how: Callable[[object], str]) -> str:
    try:
        return _clean(how(value))
    except Exception as problem:  # noqa: BLE001 (the agent's own objects may raise anything when printed)
        return f"<{type(value).__name__} that can't be printed: {type(problem).__name__}>"


def _represented(value: object) -> str:
    words = _printed(value, repr)
    return words if len(words) <= LONGEST_REPR else f"{words[:LONGEST_REPR]}…"


def _digits(value: int) -> str:
    """Python refuses to write out numbers of very many digits in tens."""
    try:
        return str(value)
    except ValueError:
        return hex(value)


class _Walk:
    def __init__(self) -> None:
        self._inside: set[int] = set()
        self._left = MOST_VALUES

    def plain(self, value: object) -> Plain:
        self._left -= 1
        match value:
            case None | bool():
                return value
            case Enum():
                return self.plain(value.value)
            case str():
                return _clean(value)
            case int():
                return int(value) if -_LARGEST_INT <= value < _LARGEST_INT else _digits(value)
            case float():
                return float(value) if math.isfinite(value) else str(float(value))
            case bytes() | bytearray() | memoryview():
                return bytes(value).decode(errors="backslashreplace")
            case date() | time():
                return value.isoformat()
            case PurePath() | UUID() | Decimal():
                return _printed(value, str)
            case Mapping() | list() | tuple() | set() | frozenset():
                return self._within(value)
            case _:
                return _represented(value)

    def _within(self, value: _Compound) -> Plain:
        if id(value) in self._inside:
            return "<the same value again>"
        if len(self._inside) >= DEEPEST:
            return "<deeper than can be kept>"
        self._inside.add(id(value))
        try:
            return self._members(value)
        except Exception:  # noqa: BLE001 (a mapping of the agent's own may raise anything when it is read)
            return _represented(value)
        finally:
            self._inside.discard(id(value))

    def _members(self, value: _Compound) -> Plain:
        if isinstance(value, Mapping):
            found: dict[str, Plain] = {}
            for key, member in value.items():
                if self._left <= 0:
                    found["…"] = _FULL
                    break
                found[_clean(key) if isinstance(key, str) else _printed(key, str)] = self.plain(member)
            return found
        listed: list[Plain] = []
        for member in sorted(value, key=_represented) if isinstance(value, set | frozenset) else value:
            if self._left <= 0:
                listed.append(_FULL)
                break
            listed.append(self.plain(member))
        return listed
