"""Plain data to YAML text that the reader reads back as the same data, in a style that people would write."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bylaw.reader.scalars import ambiguous, resolve

_PLAIN = re.compile(r"[A-Za-z_$][\w$./\[\]-]*(?: [\w$./()-]+)*", re.ASCII)
_BRACKETS = frozenset("[]")
# What YAML can't hold as it is, what ends a line in YAML only, and what nobody sees.
_UNPRINTABLE = re.compile(
    r"[^\t\x20-\x7e\xa0-\u200a\u2010-\u2027\u202f-\u205f\u2065\u206a-\ud7ff"
    r"\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LONGEST_KEY = 900
_LONGEST_INTEGER = 400
_WIDTH = 100
_INDENT = "  "


def write(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """The text of a mapping or list. Raises `ValueError` for data that no YAML file can hold.

    That is a number that is not finite or has more than 400 digits, half a character, a key that is not text or that
    begins with a zero character, and anything that is no plain data.
    """
    if not isinstance(value, Mapping | list | tuple):
        raise ValueError("a file holds a mapping or a list")
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> Iterator[str]:
    if not value:
        yield "{}" if isinstance(value, Mapping) else "[]"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry(_key(key), inner)
    else:
        for item in value:
            yield from _led_by("- ", item)


def _entry(key: str, value: Any) -> Iterator[str]:
    if len(key) > _LONGEST_KEY:
        yield f"? {key}"
        yield from _led_by(": ", value)
    elif (short := _on_one_line(value)) is not None:
        yield f"{key}: {short}"
    else:
        yield f"{key}:"
        yield from (_INDENT + line for line in _lines(value))


def _led_by(mark: str, value: Any) -> Iterator[str]:
    short = _on_one_line(value)
    for number, line in enumerate(_lines(value) if short is None else [short]):
        yield (mark if number == 0 else _INDENT) + line


def _on_one_line(value: Any) -> str | None:
    """A single value, nothing, or a short list of single values; None for what takes several lines."""
    if isinstance(value, Mapping):
        return None if value else "{}"
    if not isinstance(value, list | tuple):
        return _scalar(value, inside=False)
    if any(isinstance(item, Mapping | list | tuple) for item in value):
        return None
    written = f"[{', '.join(_scalar(item, inside=True) for item in value)}]"
    return written if len(written) <= _WIDTH or not value else None


def _key(key: Any) -> str:
    if not isinstance(key, str) or key.startswith("\0"):
        raise ValueError(f"{key!r} can't be a key")
    return _text(key, inside=True)


def _scalar(value: Any, *, inside: bool) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return _integer(value)
        case float() if math.isfinite(value):
            return _float(value)
        case str():
            return _text(value, inside=inside)
    raise ValueError(f"{value!r} can't be written")


def _integer(value: int) -> str:
    if value.bit_length() > 3 * _LONGEST_INTEGER:
        raise ValueError("a number of so many digits can't be written")
    return str(int(value))


def _float(value: float) -> str:
    """With a point before the exponent: without one, readers don't agree that it is a number."""
    digits, e, exponent = repr(float(value)).partition("e")
    return f"{digits if '.' in digits else digits + '.0'}{e}{exponent}"


def _text(text: str, *, inside: bool) -> str:
    """As it is where every reader takes it for this text, else in double quotes; `inside` a list more is special."""
    agreed = _PLAIN.fullmatch(text) and isinstance(resolve(text), str) and ambiguous(text) is None
    if agreed and (not inside or _BRACKETS.isdisjoint(text)):
        return text
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("half a character can't be written")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{_UNPRINTABLE.sub(_escape, escaped)}"'


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
