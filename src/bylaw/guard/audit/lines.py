"""The lines of audit files, one at a time, whatever is in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bylaw.errors import Misuse
from bylaw.guard.audit.chain import hash_of_line

LONGEST = 64 * 1024 * 1024
"""A longer line is no record; it is passed over piece by piece, not read into memory."""

_OPENING = b'{"writer":"'


class Line(NamedTuple):
    """A line without its newline, or the beginning of one that is longer than any record."""

    file: str
    number: int
    text: bytes

    @property
    def looks_cut(self) -> bool:
        """Whether it is the beginning of a record, as a writer that was killed, or ran out of disk, leaves it."""
        opens = self.text.startswith(_OPENING) or _OPENING.startswith(self.text)
        return opens and 0 < len(self.text) < LONGEST and hash_of_line(self.text) is None


def read_lines(file: Path) -> Iterator[Line]:
    try:
        with file.open("rb") as stream:
            number = 0
            while text := stream.readline(LONGEST):
                number += 1
                ended = text.endswith(b"\n")
                yield Line(str(file), number, text[:-1] if ended else text)
                while not ended and len(text) == LONGEST:
                    text = stream.readline(LONGEST)
                    ended = text.endswith(b"\n")
    except OSError as error:
        raise Misuse(f"can't read {file}: {error.strerror}") from error
