"""What a plain (unquoted) YAML word means, and which words mean different things to different readers."""

from __future__ import annotations

import re

from bylaw.reader.nodes import Value

_CONSTANTS: dict[str, Value] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(0|[1-9][0-9]*)\.[0-9]*\Z|\.[0-9]+\Z|[-+]?(0|[1-9][0-9]*)\.[0-9]*[eE][-+][0-9]+\Z")
_SWITCH = re.compile(r"(yes|no|on|off)\Z", re.IGNORECASE)
_NUMBERISH: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[-+]?0([0-9]+|[0-7_]+)\Z"), "an octal number"),
    (re.compile(r"[-+]?0[oO][0-7_]+\Z"), "an octal number"),
    (re.compile(r"[-+]?0[xX][0-9a-fA-F_]+\Z"), "a hexadecimal number"),
    (re.compile(r"[-+]?0[bB][01_]+\Z"), "a binary number"),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?\Z"), "a number with separators"),
    (re.compile(r"[-+]?([1-9][0-9_]*(:[0-5]?[0-9])+|[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*)\Z"), "a number in base 60"),
    (re.compile(r"[-+]?[0-9]*\.?[0-9]+[eE][-+]?[0-9]+\Z"), "a number with an exponent"),
    (re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z"), "a number that is not finite"),
    (re.compile(r"[-+]?([0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?\Z"), "a number"),
)
_FIRST_OF_NUMBERS = frozenset("+-.0123456789")
_FIRST_OF_SWITCHES = frozenset("yYnNoO")
_LONGEST_INTEGER = 400


def resolve(text: str) -> Value:
    """The value of a plain word, where every reader agrees on it; dates stay text."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _FIRST_OF_NUMBERS or len(text) > _LONGEST_INTEGER:
        return text
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text


def ambiguous(text: str) -> tuple[str, str] | None:
    """Why a plain word is a trap, and what to write instead; None for an ordinary one."""
    if not text:
        return None
    if text[0] in _FIRST_OF_SWITCHES and _SWITCH.match(text):
        truth = "true" if text.lower() in ("yes", "on") else "false"
        return (
            f"`{text}` is {truth} to some YAML readers and text to others",
            f"write `{truth}`, or quote it: '{text}'",
        )
    if text[0] in _FIRST_OF_NUMBERS and _resolves_to_text(text):
        for pattern, meaning in _NUMBERISH:
            if pattern.match(text):
                return (
                    f"`{text}` is {meaning} to some YAML readers and text to others",
                    f"quote it, '{text}', or write it out",
                )
    return None


def _resolves_to_text(text: str) -> bool:
    return isinstance(resolve(text), str)
