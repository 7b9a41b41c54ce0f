"""A case that must fail in one stated way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from bylaw.checks.check import Demand, ItemCheck, Judgement, failed, unjudged
from bylaw.evidence import Evidence, ModelCall, Need
from bylaw.scoring import Expected
from bylaw.verdict import Item, Outcome

ALLOWED = "allowed_error"
"""The code of a failure that a contract lets pass."""

_PART = Item(id="part", kind="part")


class FailsAs(Demand, frozen=True, kw_only=True):
    """Passes when the parts fail, and the failure that counts first has the stated code."""

    called: ClassVar[str] = "an expected failure"

    code: str
    parts: tuple[Demand, ...]
    order: tuple[str, ...] = ()

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return [need for part in self.parts for need in part.needs(evidence)]

    def judge(self, evidence: Evidence, /) -> Judgement:
        findings = [ItemCheck(item=_PART, demand=part).judge(evidence) for part in self.parts]
        verdict = Expected(code=self.code, order=self.order)(findings)
        why = "; ".join(f"{found.reason} [{found.code}]" for found in verdict.because)
        if verdict.state == "undecided":
            allowed = {found.code for found in verdict.because} == {ALLOWED}
            return unjudged(ALLOWED if allowed else "undecided", why or verdict.word)
        if verdict.state == "held":
            failure = next(found for found in findings if found.code == self.code)
            return Judgement(outcome=Outcome.passed, reason=f"it fails as expected: {failure.reason}")
        return failed(
            "unexpected_outcome", f"it must fail with `{self.code}` and {verdict.word}" + (f": {why}" if why else "")
        )


class OnAnswer(Demand, frozen=True, kw_only=True):
    """A demand on what a model answered. Where there is no answer, why that is so comes before everything else.

    A failure of a kind in `allowed` says nothing of the contract: it is not judged, by a code that can be accepted.
    """

    called: ClassVar[str] = "a demand on an answer"

    demand: Demand
    allowed: tuple[str, ...] = ()

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return self.demand.needs(evidence)

    def judge(self, evidence: Evidence, /) -> Judgement:
        last = next((event for event in reversed(evidence.events) if isinstance(event, ModelCall)), None)
        if last is None or last.failure is None:
            return self.demand.judge(evidence)
        said = f"the model gave no answer: {last.failure.message or last.failure.kind} [{last.failure.kind}]"
        if last.failure.kind in self.allowed:
            return unjudged(ALLOWED, f"{said}, which `allowed_errors` lets pass")
        return failed("unexpected_error", said)
