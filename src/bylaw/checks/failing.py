"""A case that must fail in one stated way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from bylaw.checks.check import Demand, ItemCheck, Judgement, failed, unjudged
from bylaw.evidence import Evidence, Need
from bylaw.scoring import Expected
from bylaw.verdict import Item, Outcome

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
            return unjudged("undecided", why or verdict.word)
        if verdict.state == "held":
            failure = next(found for found in findings if found.code == self.code)
            return Judgement(outcome=Outcome.passed, reason=f"it fails as expected: {failure.reason}")
        return failed(
            "unexpected_outcome", f"it must fail with `{self.code}` and {verdict.word}" + (f": {why}" if why else "")
        )
