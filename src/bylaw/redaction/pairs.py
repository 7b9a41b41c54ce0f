"""Secrets that stand beside their names instead of below them: pairs, headers, words of a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

NamesASecret = Callable[[str], bool]

_SHORT_FLAGS = {
    "mysql": "-p",
    "mysqldump": "-p",
    "mysqladmin": "-p",
    "mariadb": "-p",
    "mariadb-dump": "-p",
    "sshpass": "-p",
    "curl": "-u",
    "redis-cli": "-a",
}
_GLUED = frozenset({"mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump"})
"""Programs that take a password only in the same word as its flag: `-p x` asks for it, and `x` is a database."""


def is_pair(value: Any) -> bool:
    """`["Authorization", "…"]`, as lists of headers and parameters have them."""
    if type(value) not in (list, tuple) or len(value) != 2:
        return False
    name, held = value
    return type(name) is type(held) is str and bool(held)


def is_named_value(mapping: dict[str, Any]) -> bool:
    """`{"name": "Authorization", "value": "…"}`"""
    return type(mapping.get("name")) is type(mapping.get("value")) is str and bool(mapping["value"])


def hidden_items(values: Sequence[Any], names_a_secret: NamesASecret) -> frozenset[int]:
    """Which words of a command are secrets, by the flag in front of them."""
    if len(values) < 2 or type(values[0]) is not str:
        return frozenset()
    program = values[0].rpartition("/")[2]
    short = _SHORT_FLAGS.get(program, "")
    hidden = set()
    for number, value in enumerate(values[1:], 1):
        before = values[number - 1]
        if type(value) is not str or type(before) is not str:
            continue
        if before.startswith("--"):
            told = "=" not in before and names_a_secret(before)
        else:
            told = bool(short) and before == short and program not in _GLUED
        glued = bool(short) and value.startswith(short) and len(value) > len(short)
        if glued or (told and value and not value.startswith("-")):
            hidden.add(number)
    return frozenset(hidden)
