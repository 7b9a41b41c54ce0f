"""What was concluded: items, findings, verdicts, and how findings fold into a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, Protocol

import msgspec

from bylaw.errors import NOWHERE, Span

State = Literal["held", "broken", "undecided"]
Action = Literal["", "deny", "warn", "redact", "withhold"]


class Outcome(StrEnum):
    """What a check concluded. Only the first two are judgements; none of the rest is success."""

    passed = "passed"
    failed = "failed"
    error = "error"
    not_applicable = "not_applicable"
    not_exercised = "not_exercised"


class Item(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing a file demands."""

    id: str
    kind: str
    where: Span = NOWHERE
    weight: float = 1.0
    must: bool = False
    binding: bool = True
    data: Mapping[str, Any] = {}


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one check concluded about one item, with the reason and the events it rests on."""

    item: Item
    outcome: Outcome
    score: float = 1.0
    code: str = ""
    reason: str = ""
    action: Action = ""
    about: tuple[int, ...] = ()
    details: Mapping[str, Any] = {}

    @property
    def weight(self) -> float:
        return self.item.weight

    @property
    def must(self) -> bool:
        return self.item.must

    @property
    def binding(self) -> bool:
        return self.item.binding

    @property
    def applies(self) -> bool:
        return self.outcome is not Outcome.not_applicable

    @property
    def state(self) -> State:
        match self.outcome:
            case Outcome.passed:
                return "held"
            case Outcome.failed:
                return "broken"
            case _:
                return "undecided"

    @property
    def low(self) -> float:
        return self.score if self.outcome in (Outcome.passed, Outcome.failed) else 0.0

    @property
    def high(self) -> float:
        return self.score if self.outcome in (Outcome.passed, Outcome.failed) else 1.0


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Findings or verdicts, folded.

    `word` is the file's own name for the result. `low` and `high` are the score with every unknown at 0 and at 1;
    both None where nothing applied. `weight`, `must` and `binding` say how it counts one level up.
    """

    state: State
    word: str
    low: float | None = None
    high: float | None = None
    because: tuple[Finding, ...] = ()
    weight: float = 1.0
    must: bool = False
    binding: bool = True
    applies: bool = True


Part = Finding | Verdict


class Fold(Protocol):
    """The rule of a file: what a set of findings or verdicts comes to."""

    def __call__(self, parts: Sequence[Part], /) -> Verdict: ...
