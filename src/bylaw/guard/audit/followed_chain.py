"""One writer's records, followed link by link as they come."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bylaw.guard.audit.chain import FIRST_PREV, Link
from bylaw.guard.audit.deletions import Deletions
from bylaw.guard.audit.lines import Line
from bylaw.guard.audit.verification import Problem, ProblemKind, VerifiedChain


class FollowedChain:
    """Knows the first problem of a chain; behind that, the chain is only counted.

    `published` holds the hashes of records whose heads went elsewhere, by number.
    """

    def __init__(self, link: Link, line: Line, *, published: Mapping[int, str]) -> None:
        self.writer = link.writer
        self.problem: Problem | None = None
        self._published = published
        self._first, self._first_line = link, line
        self._newest, self._newest_line = link, line
        self._due = link.seq
        self._prev = link.prev
        self._records = 0
        self.anchored: int | None = None
        self._missing: range | None = None

    def follow(self, link: Link, line: Line, *, proper_hash: str | None) -> bool:
        """Whether the record is in its place and unchanged."""
        self._records += 1
        if self.problem is not None:
            self._reconsider(link, line)
            return False
        self.problem = self._wrong_with(link, line, proper_hash)
        if self.problem is not None:
            return False
        self._newest, self._newest_line = link, line
        self._due, self._prev = link.seq + 1, link.hash
        if link.seq in self._published:
            self.anchored = link.seq
        return True

    def conclude(self, deletions: Deletions) -> None:
        """Checks both ends: what came before the first record here, and what was published beyond the last."""
        moved = self.problem is not None and self.problem.kind == "reordered" and self.problem.seq == self._first.seq
        beginning = None if moved else self._wrong_beginning(deletions)
        if beginning is not None:
            self.problem = beginning
        published = max(self._published, default=-1)
        last = self._newest.seq
        if self.problem is None and published > last:
            says = (
                f"{_records(last + 1, published)} should follow record {last}: the head of {published} was published"
            )
            self.problem = _problem("removed", says, self._newest, self._newest_line)

    def summary(self) -> VerifiedChain:
        return VerifiedChain(
            writer=self.writer,
            first=self._first.seq,
            last=self._newest.seq,
            records=self._records,
            anchored=self.anchored,
            intact=self.problem is None,
        )

    def _wrong_with(self, link: Link, line: Line, proper_hash: str | None) -> Problem | None:
        seq, due = link.seq, self._due
        if proper_hash != link.hash:
            return _problem("changed", f"record {seq} is not what was written", link, line)
        if seq > due:
            self._missing = range(due, seq)
            return _problem("removed", f"{_records(due, seq - 1)} should stand before record {seq}", link, line)
        if seq < self._first.seq:
            says = f"record {self._first.seq} stands before record {seq}, which is at {line.file}:{line.number}"
            return _problem("reordered", says, self._first, self._first_line)
        if seq < due:
            return _problem("repeated", f"record {seq} stands here again, after record {due - 1}", link, line)
        if link.prev != self._prev:
            before = f"record {seq - 1} at {self._newest_line.file}:{self._newest_line.number}"
            says = f"record {seq} does not follow from {before}: one of them was rewritten"
            return _problem("changed", says, link, line)
        if self._published.get(seq, link.hash) != link.hash:
            says = f"record {seq} is not the one whose head was published: it, or one before it, was rewritten"
            return _problem("changed", says, link, line)
        return None

    def _reconsider(self, link: Link, line: Line) -> None:
        """A record that was missed and comes later was not removed: it was moved."""
        if self.problem is not None and self._missing is not None and link.seq in self._missing:
            says = f"record {self.problem.seq} stands before record {link.seq}, which is at {line.file}:{line.number}"
            self.problem = msgspec.structs.replace(self.problem, kind="reordered", says=says)
            self._missing = None

    def _wrong_beginning(self, deletions: Deletions) -> Problem | None:
        """A chain may begin late if a record vouches that rotation deleted what came before, up to this very link."""
        first, line = self._first, self._first_line
        if first.seq == 0:
            if first.prev == FIRST_PREV:
                return None
            return _problem("changed", "record 0 names a record before it", first, line)
        if deletions.explain(self.writer, first.seq - 1, first.prev):
            return None
        says = f"{_records(0, first.seq - 1)} should stand before record {first.seq}, here or in an older file"
        says += deletions.doubt_about(self.writer, first.seq - 1)
        return _problem("removed", says, first, line)


def _problem(kind: ProblemKind, says: str, link: Link, line: Line) -> Problem:
    return Problem(kind=kind, says=says, file=line.file, line=line.number, writer=link.writer, seq=link.seq)


def _records(first: int, last: int) -> str:
    return f"record {first}" if first == last else f"records {first} to {last}"
