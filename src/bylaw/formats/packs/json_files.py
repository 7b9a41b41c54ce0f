"""The JSON files of a pack, read as what they must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

LARGEST = 64 * 1024**2


class Unusable(Exception):
    """A file of a pack that can't be used; the message names it and says why."""


def read_raw(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise Unusable(f"`{path}` can't be read: {error.strerror}") from error
    if len(raw) > LARGEST:
        raise Unusable(f"`{path}` is larger than {LARGEST // 1024**2} MiB")
    return raw


def read_json_object(path: Path) -> dict[str, Any]:
    raw = read_raw(path)
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Unusable(f"`{path}` can't be read: {error}") from error
    if not isinstance(found, dict):
        raise Unusable(f"`{path}` does not hold a JSON object")
    return found
