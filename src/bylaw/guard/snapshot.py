"""A copy of a call's arguments that nobody else holds: what was judged is what runs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from enum import Enum
from typing import Any

from bylaw.guard.shown import said_by

DEEPEST = 100
LONGEST_SHOWN = 200
MOST_VALUES = 1_000_000
"""Counted as if nothing were shared: a few lists that hold each other can stand for more than any memory holds."""

_ATOMS = frozenset({str, int, float, bool, type(None), bytes})


class CannotCopy(Exception):
    """The arguments can't be copied, so what is judged could differ from what runs; the message says where."""


def snapshot(args: Mapping[str, Any]) -> dict[str, Any]:
    """The same values in containers of our own; objects of other kinds are deep-copied by their own rules."""
    try:
        if type(args) is dict:
            ours: dict[str, Any] = args.copy()
        elif isinstance(args, Mapping):
            ours = dict(args)
        else:
            raise CannotCopy(f"they are {type(args).__name__}, not a mapping")
        for name, value in ours.items():
            if type(name) is not str:
                return _with_names_as_text(ours)
            if type(value) not in _ATOMS:
                ours[name] = _Copying(name).copied(value, 0)
    except CannotCopy:
        raise
    except Exception as error:
        # A mapping of another kind may raise anything when it is read, and an object when it is copied.
        raise CannotCopy(said_by(error)) from error
    return ours


def _with_names_as_text(args: dict[Any, Any]) -> dict[str, Any]:
    """Text of a kind of its own could change its mind about what it equals."""
    for name in args:
        if not isinstance(name, str):
            raise CannotCopy(f"the argument name {repr(name)[:LONGEST_SHOWN]} is not text")
    return snapshot({str.__str__(name): value for name, value in args.items()})


class _Copying:
    """One argument on its way; `where` names it in what is raised."""

    __slots__ = ("left", "where")

    def __init__(self, where: str) -> None:
        self.where = where
        self.left = MOST_VALUES

    def copied(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is dict:
            inner = self.opened(value, depth)
            return {self.key(key, depth): self.copied(item, depth + 1) for key, item in inner.items()}
        if kind is list:
            return [self.copied(item, depth + 1) for item in self.opened(value, depth)]
        if kind is tuple:
            return tuple([self.copied(item, depth + 1) for item in self.opened(value, depth)])
        try:
            return copy.deepcopy(value)
        except Exception as error:
            # An object's own copying may raise anything; the call is then denied.
            raise CannotCopy(
                f"`{self.where}` holds a {kind.__name__} that can't be copied: {said_by(error)}"
            ) from error

    def opened(self, value: Any, depth: int) -> Any:
        if depth >= DEEPEST:
            raise CannotCopy(f"`{self.where}` is nested more than {DEEPEST} levels deep, or contains itself")
        self.left -= len(value)
        if self.left < 0:
            raise CannotCopy(f"`{self.where}` holds more than {MOST_VALUES} values")
        return value if type(value) is tuple else value.copy()  # what is copied may change what it stands in

    def key(self, key: Any, depth: int) -> Any:
        if type(key) in _ATOMS or isinstance(key, Enum):
            return key
        if isinstance(key, str):
            return str.__str__(key)
        if type(key) is tuple:
            return tuple([self.key(part, depth + 1) for part in self.opened(key, depth)])
        raise CannotCopy(f"`{self.where}` has a key that is a {type(key).__name__}")
