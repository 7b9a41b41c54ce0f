"""A copy of a call's arguments that nobody else holds: what was judged is what runs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

DEEPEST = 100
_ATOMS = frozenset({str, int, float, bool, type(None), bytes})


class CannotCopy(Exception):
    """The arguments can't be copied, so what is judged could differ from what runs; the message says where."""


def snapshot(args: Mapping[str, Any]) -> dict[str, Any]:
    """The same values in containers of our own; objects of other kinds are deep-copied by their own rules."""
    if type(args) is not dict and not isinstance(args, Mapping):
        raise CannotCopy(f"the arguments are {type(args).__name__}, not a mapping")
    for name in args:
        if type(name) is not str:
            raise CannotCopy(f"the argument name {name!r} is not text")
    return {name: value if type(value) in _ATOMS else _copied(value, name, 0) for name, value in args.items()}


def _copied(value: Any, where: str, depth: int) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if depth >= DEEPEST:
        raise CannotCopy(f"`{where}` is nested more than {DEEPEST} levels deep, or contains itself")
    if kind is dict:
        return {_key(key, where): _copied(inner, where, depth + 1) for key, inner in value.items()}
    if kind is list:
        return [_copied(inner, where, depth + 1) for inner in value]
    if kind is tuple:
        return tuple([_copied(inner, where, depth + 1) for inner in value])
    try:
        return copy.deepcopy(value)
    except Exception as error:
        # An object's own copying may raise anything; the call is then denied.
        raise CannotCopy(f"`{where}` holds a {kind.__name__} that can't be copied: {error}") from error


def _key(key: Any, where: str) -> Any:
    if type(key) in _ATOMS:
        return key
    raise CannotCopy(f"`{where}` has a key that is a {type(key).__name__}")
