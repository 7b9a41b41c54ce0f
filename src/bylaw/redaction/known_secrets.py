"""Secrets that were found in one place, looked for in others, where neither a name nor a shape tells them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

SHORTEST = 6
"""A shorter text stands in too many others by chance."""

LONGEST_OPENING = 64
"""A secret is recognised by its beginning: messages and summaries cut what is long."""

MOST_LOOKED_AT = 100
"""Texts of one secret value, and finds of one secret in a text; with more finds, all of the text is hidden."""


def texts_in(value: Any) -> list[str]:
    """What a secret could be recognised by elsewhere: the texts and numbers in it."""
    return list(islice(_texts(value, 0), MOST_LOOKED_AT))


def _texts(value: Any, depth: int) -> Iterator[str]:
    kind = type(value)
    if kind is str:
        yield value
    elif kind is int and abs(value) < 1 << 256:
        yield str(value)
    elif kind is bytes:
        yield value.decode("utf-8", "backslashreplace")
    elif depth < LONGEST_OPENING and isinstance(value, Mapping | list | tuple):
        for inner in list(value.values()) if isinstance(value, Mapping) else value:
            yield from _texts(inner, depth + 1)


def search_for(secrets: Iterable[str]) -> Callable[[str], list[tuple[int, int]]] | None:
    """Where these stand in a text, as they are or escaped; None if none of them is long enough to look for."""
    spelled = {spelling for secret in secrets for spelling in _spellings(secret) if len(spelling) >= SHORTEST}
    if not spelled:
        return None
    longest_first = sorted(spelled, key=len, reverse=True)

    def search(text: str) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        for secret in longest_first:
            found = list(islice(_places(secret, text), MOST_LOOKED_AT + 1))
            if len(found) > MOST_LOOKED_AT:
                return [(0, len(text))]
            spans += found
        return spans

    return search


def _spellings(secret: str) -> Iterator[str]:
    """As Python and JSON write it in quotes, too."""
    text = secret.strip()
    yield text
    yield repr(text)[1:-1]
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]


def _places(secret: str, text: str) -> Iterator[tuple[int, int]]:
    opening = secret[:LONGEST_OPENING]
    start = text.find(opening)
    while start >= 0:
        end = start + len(opening)
        while end < len(text) and end - start < len(secret) and text[end] == secret[end - start]:
            end += 1
        yield start, end
        start = text.find(opening, end)
