"""JSON paths to arguments, written so that every name is found again."""

from __future__ import annotations

import re

Steps = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = "tool_calls"
"""A path relative to arguments must not look as if it began at the response."""


def path_of(steps: Steps) -> str:
    return "$" + "".join(_step(step, first=number == 0) for number, step in enumerate(steps))


def _step(step: str | int, *, first: bool) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _PLAIN.fullmatch(step) and not (first and step.startswith(_RESERVED)):
        return f".{step}"
    if "'" in step and '"' not in step and "\\" not in step and step.isprintable():
        return f'["{step}"]'
    escaped = "".join(map(_escaped, step))
    return f"['{escaped}']"


def _escaped(character: str) -> str:
    if character in "'\\":
        return f"\\{character}"
    return character if character >= " " else f"\\u{ord(character):04x}"
