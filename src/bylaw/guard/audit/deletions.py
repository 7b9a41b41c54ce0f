"""What records say of files that rotation deleted, and how far they are believed.

Whoever can write the log can add a chain with such a record. So where heads were published, one is believed only if a
head vouches for the record itself; without heads it is believed, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping

from bylaw.guard.audit.chain import Dropped, Head, Link
from bylaw.guard.audit.lines import Line

Published = Mapping[str, Mapping[int, str]]
"""Hashes of records whose heads went elsewhere, by writer and number."""


class _Note:
    """One record of a deletion: who says so, where it stands, and where each chain stood."""

    __slots__ = ("heads", "seq", "where", "writer")

    def __init__(self, link: Link, dropped: Dropped, line: Line) -> None:
        self.writer, self.seq = link.writer, link.seq
        self.where = f"{line.file}:{line.number}"
        self.heads = dropped.heads


class Deletions:
    """Collects notes while the log is read. Asked only once it is known how far each chain is vouched for."""

    def __init__(self, published: Published, *, with_heads: bool) -> None:
        self.believed: list[str] = []
        """Sentences: what rests on a note alone."""

        self._published = published
        self._with_heads = with_heads
        self._notes: list[_Note] = []
        self._ends: dict[tuple[str, int], tuple[str, _Note]] = {}
        self._last: dict[str, int] = {}
        self._doubted: dict[tuple[str, int], _Note] = {}

    def noted(self, link: Link, dropped: Dropped, line: Line) -> None:
        self._notes.append(_Note(link, dropped, line))

    def conclude(self, anchored: Mapping[str, int | None]) -> None:
        """`anchored` has the last record of each chain that a published head vouches for."""
        for note in self._notes:
            vouched = not self._with_heads or note.seq <= _or_none(anchored.get(note.writer))
            for head in note.heads:
                if vouched and self._agrees(head):
                    self._ends[head.writer, head.seq] = head.hash, note
                    self._last[head.writer] = max(head.seq, self._last.get(head.writer, -1))
                else:
                    self._doubted[head.writer, head.seq] = note

    def explain(self, writer: str, seq: int, digest: str) -> bool:
        """Whether rotation deleted the chain up to this very record."""
        end, note = self._ends.get((writer, seq), (None, None))
        if end != digest or note is None:
            return False
        if not self._with_heads:
            self.believed.append(
                f"whether rotation deleted what stood before record {seq + 1} of chain {writer}, or somebody removed"
                f" it and wrote the note at {note.where}"
            )
        return True

    def last_of(self, writer: str) -> int:
        """The number of the chain's last record that rotation deleted, -1 if it deleted none."""
        return self._last.get(writer, -1)

    def doubt_about(self, writer: str, seq: int) -> str:
        """What to add where a note would explain that records are gone, and is not believed."""
        note = self._doubted.get((writer, seq))
        if note is None:
            return ""
        return f"; no published head vouches for the note at {note.where} that rotation deleted them"

    def _agrees(self, head: Head) -> bool:
        return self._published.get(head.writer, {}).get(head.seq, head.hash) == head.hash


def _or_none(last: int | None) -> int:
    return -1 if last is None else last
