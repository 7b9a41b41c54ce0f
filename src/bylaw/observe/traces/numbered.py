"""Attributes that spell a list by numbers in their names: `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def numbered(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """The objects below a prefix, in the order of their numbers; lists inside them are spelled likewise."""
    found: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        number, _, field = name.removeprefix(f"{prefix}.").partition(".")
        if name.startswith(f"{prefix}.") and number.isdecimal() and field:
            found.setdefault(int(number), {})[field] = value
    return [_with_lists(found[number]) for number in sorted(found)]


def _with_lists(fields: dict[str, Any]) -> dict[str, Any]:
    flat = {name: value for name, value in fields.items() if "." not in name}
    for name in dict.fromkeys(name.partition(".")[0] for name in fields if "." in name):
        flat[name] = numbered(fields, name)
    return flat
