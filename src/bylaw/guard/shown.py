"""Objects of other people as text, whatever their own methods do."""

from __future__ import annotations

from typing import Any


def shown(value: Any) -> str:
    """`str(value)`, or what kept it from being made."""
    try:
        return str(value)
    except Exception as error:  # noqa: BLE001 an object's own __str__ may raise anything, and telling of it never does
        return f"<{type(value).__name__} that can't be shown: {type(error).__name__}>"


def said_by(error: BaseException) -> str:
    said = shown(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
