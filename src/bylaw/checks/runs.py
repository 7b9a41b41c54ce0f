"""Checks on how the trial went."""

from __future__ import annotations

from typing import Annotated

from bylaw.checks.check import Demand, Judgement, failed
from bylaw.evidence import Evidence
from bylaw.reader import Bounds
from bylaw.verdict import Outcome


class Latency(Demand, frozen=True, kw_only=True):
    max_ms: Annotated[float, Bounds(ge=0), "the longest the run may take"]

    def judge(self, evidence: Evidence, /) -> Judgement:
        took = f"took {evidence.ms:.0f} ms"
        if evidence.ms <= self.max_ms:
            return Judgement(outcome=Outcome.passed, reason=took)
        return failed("too_slow", f"{took}; at most {self.max_ms:g} ms are allowed")


class Completes(Demand, frozen=True, kw_only=True):
    def judge(self, evidence: Evidence, /) -> Judgement:
        if evidence.failure is None:
            return Judgement(outcome=Outcome.passed, reason="the agent ended without an error")
        return failed("not_completed", f"the agent did not complete: {evidence.failure}")
