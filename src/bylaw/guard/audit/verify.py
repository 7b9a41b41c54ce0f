"""Whether an audit log is what its writers wrote: where each chain was first changed, cut or put out of order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from bylaw.errors import Misuse
from bylaw.guard.audit.chain import Head, hash_of_line, read_link
from bylaw.guard.audit.deletions import Deletions
from bylaw.guard.audit.followed_chain import FollowedChain
from bylaw.guard.audit.lines import Line, read_lines
from bylaw.guard.audit.verification import Notice, Problem, Verification
from bylaw.verdict import State

MOST_LISTED = 100
"""How many lines of junk, and how many notices, are listed; the rest is counted."""

WITHOUT_HEADS = (
    "records removed at the end of a chain, and whole chains removed",
    "records rewritten together with everything after them in their chain",
)
BEYOND_HEADS = (
    "what was done to records behind the last published head of their chain",
    "chains removed before a head of theirs was published",
)

MOST_NAMED = 10
"""How many chains that no head vouches for are named; the rest is counted."""


def verify(files: Iterable[Path], *, heads: Sequence[Head] | None = None) -> Verification:
    """Reads the files once, in the order given: oldest first. What can't be known the answer names.

    Raises `Misuse` for a file that can't be read, and for heads that are none: nothing would be compared.
    """
    if heads is not None and not heads:
        raise Misuse("there is no head of a chain to compare with")
    verifier = _Verifier(heads)
    names = []
    for file in files:
        names.append(str(file))
        for line in read_lines(file):
            verifier.read(line)
    return verifier.conclude(tuple(names))


class _Verifier:
    def __init__(self, heads: Sequence[Head] | None) -> None:
        self._with_heads = heads is not None
        self._published: dict[str, dict[int, str]] = {}
        for head in heads or ():
            self._published.setdefault(head.writer, {})[head.seq] = head.hash
        self._chains: dict[str, FollowedChain] = {}
        self._deletions = Deletions(self._published, with_heads=self._with_heads)
        self._records = 0
        self._junk: list[Problem] = []
        self._junk_lines = 0
        self._notices: list[Notice] = []
        self._noticed = 0

    def read(self, line: Line) -> None:
        try:
            link = read_link(line.text)
        except msgspec.MsgspecError as error:
            self._read_odd(line, str(error))
            return
        self._records += 1
        chain = self._chains.get(link.writer)
        if chain is None:
            published = self._published.get(link.writer, {})
            chain = self._chains[link.writer] = FollowedChain(link, line, published=published)
        sound = chain.follow(link, line, proper_hash=hash_of_line(line.text))
        if link.gap is not None:
            self._notice("lost", f"{link.gap.lost} events were never written: {link.gap.why}", line)
        if link.dropped is not None:
            self._notice("deleted", f"rotation deleted {', '.join(link.dropped.files)}", line)
            if sound:
                self._deletions.noted(link, link.dropped, line)

    def _read_odd(self, line: Line, why: str) -> None:
        if line.looks_cut:
            self._notice("cut", "a record was cut off here: its writer was stopped, or the disk was full", line)
            return
        self._junk_lines += 1
        if len(self._junk) < MOST_LISTED:
            self._junk.append(
                Problem(kind="junk", says=f"this is no record of a chain: {why}", file=line.file, line=line.number)
            )

    def _notice(self, kind: Literal["cut", "lost", "deleted"], says: str, line: Line) -> None:
        self._noticed += 1
        if len(self._notices) < MOST_LISTED:
            self._notices.append(Notice(kind=kind, says=says, file=line.file, line=line.number))

    def conclude(self, files: tuple[str, ...]) -> Verification:
        self._deletions.conclude({chain.writer: chain.anchored for chain in self._chains.values()})
        problems = [*self._junk, *self._gone()]
        for chain in self._chains.values():
            chain.conclude(self._deletions)
            if chain.problem is not None:
                problems.append(chain.problem)
        order = {file: place for place, file in enumerate(files)}
        problems.sort(key=lambda problem: (order.get(problem.file, len(order)), problem.line))
        state: State = "broken" if problems else "held" if self._records else "undecided"
        return Verification(
            state=state,
            files=files,
            records=self._records,
            chains=tuple(chain.summary() for chain in self._chains.values()),
            problems=tuple(problems),
            more_problems=self._junk_lines - len(self._junk),
            notices=tuple(self._notices),
            more_notices=self._noticed - len(self._notices),
            unknown=self._unknown(),
        )

    def _unknown(self) -> tuple[str, ...]:
        if not self._with_heads:
            return (*WITHOUT_HEADS, *self._deletions.believed)
        strangers = [chain.writer for chain in self._chains.values() if chain.anchored is None]
        if not strangers:
            return BEYOND_HEADS
        more = f" and {len(strangers) - MOST_NAMED} more" if len(strangers) > MOST_NAMED else ""
        named = ", ".join(strangers[:MOST_NAMED])
        return (*BEYOND_HEADS, f"who wrote the chains that no head vouches for: {named}{more}")

    def _gone(self) -> list[Problem]:
        """Chains of which a head was published and no record is left, though rotation did not delete them."""
        problems = []
        for writer, hashes in self._published.items():
            newest = max(hashes)
            if writer not in self._chains and self._deletions.last_of(writer) < newest:
                says = f"no record of this chain is left, though the head of its record {newest} was published"
                says += self._deletions.doubt_about(writer, newest)
                problems.append(Problem(kind="removed", says=says, writer=writer, seq=newest))
        return problems
