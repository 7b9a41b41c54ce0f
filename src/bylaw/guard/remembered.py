"""What was made of a value that is likely to come again."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")
Made = TypeVar("Made")


class Remembered(Generic[Value, Made]):
    """Knows values by identity, and keeps them alive for that. When there are too many it begins anew."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[int, tuple[Value, Made]] = {}

    def of(self, value: Value) -> Made | None:
        known = self._known.get(id(value))
        return known[1] if known is not None else None

    def keep(self, value: Value, made: Made) -> Made:
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[id(value)] = (value, made)
        return made
