"""Exit codes are named outcomes: that a contract is broken is never mistaken for a command that broke."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from bylaw.verdict import Verdict


class ExitCode(IntEnum):
    held = 0
    broken = 1
    invalid = 2
    undecided = 3


PRECEDENCE = (ExitCode.invalid, ExitCode.broken, ExitCode.undecided, ExitCode.held)


def exit_code(verdict: Verdict) -> ExitCode:
    return ExitCode[verdict.state]


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """The code for several runs at once. No run at all decides nothing."""
    return min(codes, key=PRECEDENCE.index, default=ExitCode.undecided)
