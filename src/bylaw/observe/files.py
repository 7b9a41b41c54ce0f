"""Files that appear whole or not at all, and never in the place of somebody else's."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bylaw.errors import Misuse
from bylaw.reader import Problems
from bylaw.reader.source import decode, read_bytes

_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 80


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A name for the files of each thing: plain letters, none twice, also where case does not count."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = _ODD.sub("_", name)[:_LONGEST].strip("_") or "contract"
        unique, number = plain, 2
        while unique.lower() in taken:
            unique, number = f"{plain}-{number}", number + 1
        taken.add(unique.lower())
        found[name] = unique
    return found


def read_text(path: Path) -> tuple[bytes, str]:
    """The byte order mark of a file, or nothing, and its text; raises `InvalidFile` where there is none."""
    problems = Problems()
    raw = read_bytes(path, problems=problems)
    text = None if raw is None else decode(raw, file=str(path), problems=problems)
    problems.raise_errors()
    assert raw is not None, "anything else has been told"
    assert text is not None, "anything else has been told"
    return raw[: len(raw) - len(text.encode())], text


def write_directory(root: Path, files: Mapping[str, bytes]) -> None:
    """A directory that is not there yet, with everything in it at once."""
    beside = _beside(root)
    with _told(root):
        root.parent.mkdir(parents=True, exist_ok=True)
        try:
            for name, content in files.items():
                place = beside / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            beside.rename(root)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def create_file(path: Path, content: bytes) -> None:
    """A file that must not be there yet."""
    with _told(path), _written_beside(path, content) as beside:
        os.link(beside, path)


def replace_file(path: Path, content: bytes) -> None:
    """A file that is there, with its permissions."""
    with _told(path), _written_beside(path, content) as beside:
        shutil.copymode(path, beside)
        beside.replace(path)


@contextmanager
def _written_beside(path: Path, content: bytes) -> Iterator[Path]:
    beside = _beside(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        beside.write_bytes(content)
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:_LONGEST]}.{uuid.uuid4().hex[:12]}")


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Misuse(f"can't write to {path}: {error.strerror}") from error
