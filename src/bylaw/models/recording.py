"""A provider's answer as it may be kept: nothing of its headers, and no secrets in its texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from bylaw.redaction import MARK, Redactor
from bylaw.wire.response import json_text

_REDACTOR = Redactor()


def redacted(raw: Any, *, hide: Callable[[str], str]) -> Any:
    """The same data, whole, with secrets marked. Arguments that are JSON in a text stay JSON in a text."""
    match raw:
        case str():
            return _text(raw, hide)
        case Mapping():
            return {key: _value(key, inner, hide) for key, inner in raw.items()}
        case list() | tuple():
            return [redacted(inner, hide=hide) for inner in raw]
        case _:
            return raw


def _value(key: str, value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str) and value and _REDACTOR.names_a_secret(key):
        return MARK
    return redacted(value, hide=hide)


def _text(text: str, hide: Callable[[str], str]) -> str:
    if text.lstrip()[:1] not in ("{", "["):
        return hide(text)
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return hide(text)
    clean = redacted(data, hide=hide)
    return text if clean == data else json_text(clean)
