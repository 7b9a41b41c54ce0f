"""What every check is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from bylaw.evidence import Evidence, Need
from bylaw.reader import Document
from bylaw.verdict import Finding, Item, Outcome


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that does not know yet which item it is about."""

    outcome: Outcome
    score: float = 1.0
    code: str = ""
    reason: str = ""
    about: tuple[int, ...] = ()
    details: Mapping[str, Any] = {}


PASSED = Judgement(outcome=Outcome.passed)


def failed(code: str, reason: str, *, score: float = 0.0, about: tuple[int, ...] = (), **details: Any) -> Judgement:
    return Judgement(outcome=Outcome.failed, score=score, code=code, reason=reason, about=about, details=details)


def unjudged(code: str, reason: str) -> Judgement:
    return Judgement(outcome=Outcome.error, score=0.0, code=code, reason=reason)


class Demand(Document, frozen=True, kw_only=True):
    """The fields of one type of check, and its judgement.

    `world` says that it asks about the end state, which only a trial in a sandbox has.
    """

    called: ClassVar[str] = "this check"
    world: ClassVar[bool] = False

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return ()

    def judge(self, evidence: Evidence, /) -> Judgement:
        raise NotImplementedError

    def negated(self, judgement: Judgement) -> str:
        """Why the opposite of this check failed, given that it passed."""
        return judgement.reason or "it holds, and must not"


class ItemCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A demand made by one item of a file. `negate` turns passed into failed and back, and touches nothing else."""

    item: Item
    demand: Demand
    negate: bool = False

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return self.demand.needs(evidence)

    def judge(self, evidence: Evidence, /) -> Finding:
        found = self.demand.judge(evidence)
        if self.negate:
            found = self._opposite(found)
        return Finding(
            item=self.item,
            outcome=found.outcome,
            score=found.score,
            code=found.code,
            reason=found.reason,
            about=found.about,
            details=found.details,
        )

    def _opposite(self, found: Judgement) -> Judgement:
        if found.code == NO_ANSWER:
            return unjudged(NO_ANSWER, found.reason)
        if found.outcome is Outcome.passed:
            return failed("negated", self.demand.negated(found), about=found.about, **found.details)
        if found.outcome is Outcome.failed:
            return PASSED
        return found


NO_ANSWER = "no_answer"


def no_answer(evidence: Evidence) -> str:
    return f"the agent gave no answer: {evidence.failure}" if evidence.failure else "the agent gave no answer"
