"""The files of one log: the one that is written, `audit.jsonl`, and the full ones, `audit.jsonl.000001` and on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from bylaw.guard.audit.chain import Dropped, Head, read_link

_NUMBER = re.compile(r"\.([0-9]{6,})")

MOST_HEADS = 1_000
"""How many chains the record of a deleted file speaks for, newest first: enough for all that may still be written."""


def rotated_files(path: Path) -> list[Path]:
    """The full files of the log, oldest first."""
    numbered = [(number, sibling) for sibling in path.parent.iterdir() if (number := _number(path, sibling))]
    return [sibling for _, sibling in sorted(numbered)]


def log_files(path: Path) -> list[Path]:
    """Every file of the log that is there, oldest first."""
    return [*rotated_files(path), *([path] if path.exists() else [])] if path.parent.is_dir() else []


def next_rotated(path: Path) -> Path:
    newest = rotated_files(path)[-1:]
    number = 1 + (_number(path, newest[0]) if newest else 0)
    return path.with_name(f"{path.name}.{number:06d}")


def _number(path: Path, sibling: Path) -> int:
    if not sibling.name.startswith(path.name):
        return 0
    numbered = _NUMBER.fullmatch(sibling.name[len(path.name) :])
    return int(numbered[1]) if numbered else 0


def last_word_on(files: Iterable[Path]) -> Dropped:
    """What a chain must say of files before they are deleted: without it, their absence is a removal.

    What an earlier such record in these files says is said again, for chains that were silent in between.
    """
    names: list[str] = []
    ends: dict[str, Head] = {}
    for file in files:
        names.append(file.name)
        with file.open("rb") as lines:
            for line in lines:
                for head in _heads_in(line):
                    known = ends.pop(head.writer, head)
                    ends[head.writer] = max(known, head, key=lambda each: each.seq)
    return Dropped(files=tuple(names), heads=tuple(ends.values())[-MOST_HEADS:])


def _heads_in(line: bytes) -> list[Head]:
    try:
        link = read_link(line)
    except msgspec.MsgspecError:
        return []  # no record, so no chain stands on it; `verify` says what it is
    known = [] if link.dropped is None else list(link.dropped.heads)
    return [*known, Head(writer=link.writer, seq=link.seq, hash=link.hash)]
