"""The JSON files of a pack, read as what they must be."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, Literal

import msgspec

LARGEST = 64 * 1024**2
_MARK = b"\xef\xbb\xbf"


class Unusable(Exception):
    """A file of a pack that can't be used; the message names it and says why."""


class Mistake(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a file says wrongly, and the keys that lead there. A warning is passed over, and told."""

    message: str
    keys: tuple[str, ...] = ()
    hint: str = ""
    level: Literal["error", "warning"] = "error"


def read_raw(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise Unusable(f"`{path}` can't be read: {error.strerror}") from error
    if len(raw) > LARGEST:
        raise Unusable(f"`{path}` is larger than {LARGEST // 1024**2} MiB")
    return raw


def read_if_there(path: Path) -> bytes | None:
    """None where there is nothing. What is there and can't be read is never taken for nothing."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unusable(f"`{path}` can't be read: {error.strerror}") from error
    return read_regular(path)


def read_regular(path: Path) -> bytes:
    """The bytes of a file. A pipe would keep its reader waiting, and a device never ends."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise Unusable(f"`{path}` can't be read: {error.strerror}") from error
    if not stat.S_ISREG(mode):
        raise Unusable(f"`{path}` can't be read: it is a {'directory' if stat.S_ISDIR(mode) else 'device'}, no file")
    return read_raw(path)


def read_json_object(path: Path) -> dict[str, Any]:
    return json_object(read_regular(path), path)


def json_object(raw: bytes, path: Path) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(raw.removeprefix(_MARK))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Unusable(f"`{path}` can't be read: {error}") from error
    if not isinstance(found, dict):
        raise Unusable(f"`{path}` does not hold a JSON object")
    return found
