"""Objects of other people as text, whatever their own methods do."""

from __future__ import annotations

from typing import Any

_name_of_class = type.__dict__["__name__"].__get__
"""A class can have a class of its own, which may say anything of its name."""


def shown(value: Any) -> str:
    """`str(value)`, or what kept it from being made; text of no kind of its own, which could still raise."""
    try:
        return str.__str__(str(value))
    except Exception as error:  # noqa: BLE001 an object's own __str__ may raise anything, and telling of it never does
        return f"<{kind_of(value)} that can't be shown: {kind_of(error)}>"


def said_by(error: BaseException) -> str:
    said = shown(error)
    return f"{kind_of(error)}: {said}" if said else kind_of(error)


def kind_of(value: Any) -> str:
    name: str = _name_of_class(type(value))
    return name
