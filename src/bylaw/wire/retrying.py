"""How long a provider asks to be left alone, as it says in headers and details."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any


def retry_after(headers: Any, details: Any = None) -> float | None:
    """Seconds, from `retry-after-ms`, `retry-after` or the retry details of an error body.

    A date is understood beside the answer's own: the clock of whoever reads it is another.
    """
    given = header_values(headers)
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(given.get(name, ""))
        if seconds is not None:
            return seconds * unit
    seconds = _until(given.get("retry-after"), given.get("date"))
    return _delay(details) if seconds is None else seconds


def header_values(headers: Any) -> dict[str, str]:
    """Headers by lower-case name, from a mapping or pairs, with text or lists of texts as values."""
    return {name.lower(): value for name, value in _pairs(headers)}


def _pairs(headers: Any) -> Iterator[tuple[str, str]]:
    listed = headers.items() if isinstance(headers, Mapping) else headers if isinstance(headers, list) else ()
    for pair in listed:
        match pair:
            case [str() as name, str() | int() | float() as value]:
                yield name, str(value)
            case [str() as name, [str() as value, *_]]:
                yield name, value


def _number(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(moment: str | None, now: str | None) -> float | None:
    if moment is None or now is None:
        return None
    try:
        return max(0.0, (parsedate_to_datetime(moment) - parsedate_to_datetime(now)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def _delay(details: Any) -> float | None:
    """Google's `RetryInfo`, a duration such as `30s`."""
    for detail in details if isinstance(details, list) else ():
        match detail:
            case {"retryDelay": str() as delay} if delay.endswith("s"):
                return _number(delay[:-1])
    return None
