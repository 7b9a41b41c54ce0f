"""The JSON values in a file: one, a line each, or one after the other as a console has them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from bylaw.formats.packs.json_files import read_raw
from bylaw.wire.depth import flattened

_BLANK = re.compile(r"\s*")
_BEGINNING = re.compile(r"^[\[{]", re.MULTILINE)
_DECODER = json.JSONDecoder()


class NotJson(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a file that holds no value; it begins on this line."""

    line: int


def values_in(path: Path) -> Iterator[Any | NotJson]:
    """Raises `Unusable` of the pack's files where there is no file to read. What can't be read is passed over."""
    text = read_raw(path).decode("utf-8-sig", "replace")
    try:
        yield msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        yield from _one_by_one(flattened(text))


def _one_by_one(text: str) -> Iterator[Any | NotJson]:
    at = _after_blanks(text, 0)
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield NotJson(line=text.count("\n", 0, at) + 1)
            at = _next_beginning(text, at)
        else:
            yield value
        at = _after_blanks(text, at)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _next_beginning(text: str, at: int) -> int:
    """An object or a list that begins its line; what is inside another one is written further right."""
    found = _BEGINNING.search(text, at + 1)
    return len(text) if found is None else found.start()
