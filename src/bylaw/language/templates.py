"""Messages with `{selector}` placeholders: one pass, no recursion, no attribute access."""

from __future__ import annotations

import re
from collections.abc import Callable

from bylaw.evidence import ToolCall
from bylaw.language.operators import MISSING, Mismatch
from bylaw.language.selectors import Getter, SelectorError, compile_selector

LONGEST_VALUE = 200
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def compile_template(text: str) -> Callable[[ToolCall], str]:
    """A function from a call to the message; what is missing or no selector stays as it was written."""
    slots: list[tuple[str, str, Getter]] = []
    end = 0
    for found in PLACEHOLDER.finditer(text):
        try:
            getter = compile_selector(found[1])
        except SelectorError:
            continue  # braces that name no part of a call stay text
        slots.append((text[end : found.start()], found[0], getter))
        end = found.end()
    if not slots:
        return lambda _: text
    rest = text[end:]
    if len(slots) == 1:
        return _with_one(*slots[0], rest)

    def message(call: ToolCall) -> str:
        said = ""
        for before, written, get in slots:
            said += before + _fill(written, get, call)
        return said + rest

    return message


def _with_one(start: str, written: str, get: Getter, rest: str) -> Callable[[ToolCall], str]:
    """Most messages name one thing, which is a short text."""

    def message(call: ToolCall) -> str:
        try:
            value = get(call)
        except Mismatch:
            return f"{start}{written}{rest}"
        if type(value) is str and len(value) <= LONGEST_VALUE:
            return f"{start}{value}{rest}"
        return f"{start}{_shown(written, value)}{rest}"

    return message


def _fill(written: str, get: Getter, call: ToolCall) -> str:
    try:
        value = get(call)
    except Mismatch:
        return written  # what can't be looked up is as good as missing in a message, which never breaks
    return _shown(written, value)


def _shown(written: str, value: object) -> str:
    if value is MISSING or value is None:
        return written
    try:
        shown = str(value)
    except Exception as error:  # noqa: BLE001 a value's own __str__ may raise anything, and a message never does
        shown = f"<{type(value).__name__} that can't be shown: {type(error).__name__}>"
    return shown if len(shown) <= LONGEST_VALUE else shown[: LONGEST_VALUE - 1] + "…"
