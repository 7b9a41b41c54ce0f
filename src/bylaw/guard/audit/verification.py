"""What verifying an audit log comes to."""

from __future__ import annotations

from typing import Literal

import msgspec

from bylaw.verdict import State

ProblemKind = Literal["changed", "removed", "reordered", "repeated", "junk"]


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place where the log is not what its writers wrote; of a chain that is gone there is no place to name."""

    kind: ProblemKind
    says: str
    file: str = ""
    line: int = 0
    writer: str = ""
    seq: int | None = None


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something to know that breaks nothing: a crash, a full disk and rotation leave their traces, too."""

    kind: Literal["cut", "lost", "deleted"]
    says: str
    file: str
    line: int


class VerifiedChain(msgspec.Struct, frozen=True, kw_only=True):
    """One writer's records: the numbers of the first and the last that were found, and up to where a head vouches."""

    writer: str
    first: int
    last: int
    records: int
    anchored: int | None
    intact: bool


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """`held`: the log is intact as far as can be known, and `unknown` says how far that is."""

    state: State
    files: tuple[str, ...]
    records: int
    chains: tuple[VerifiedChain, ...]
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]
    unknown: tuple[str, ...]
    more_problems: int = 0
    more_notices: int = 0
