"""A guard's policy as a check: the same deciding, over the calls that were recorded."""

from __future__ import annotations

from typing import ClassVar

from bylaw.checks.check import Demand, Judgement, failed
from bylaw.evidence import Evidence, ToolCall
from bylaw.policy import MemoryLedger, Policy, Rule, decide, judge_rule
from bylaw.policy.deciding import wanted_calls
from bylaw.scoring import FirstDenial
from bylaw.verdict import Finding, Outcome


class PolicyHolds(Demand, frozen=True, kw_only=True):
    """Passes when the policy would have denied none of the calls; what only observes is told and does not bind.

    As in a live session, a call that failed gives its place back.
    """

    called: ClassVar[str] = "a `policy` check"

    policy: Policy

    def judge(self, evidence: Evidence, /) -> Judgement:
        ledger = MemoryLedger()
        observed: list[str] = []
        for index, event in enumerate(evidence.events):
            if not isinstance(event, ToolCall):
                continue
            findings = decide(self.policy, event, ledger=ledger)
            observed += [_said(found) for found in findings if found.action == "deny" and not found.binding]
            verdict = FirstDenial()(findings)
            if verdict.state == "broken":
                (denial,) = verdict.because
                return failed(
                    denial.code or "denied",
                    f"`{event.tool}` would have been denied by `{denial.item.id}`: {denial.reason}",
                    about=(index,),
                    contract=str(denial.item.where),
                )
            if event.answer is not None and event.answer.raised is not None:
                ledger.give_back([counter for counter, _ in wanted_calls(self.policy, event.tool)])
        calls = len(evidence.calls)
        reason = f"the policy allows all {calls} calls" if calls else "no tool was called"
        return Judgement(outcome=Outcome.passed, reason=reason, details={"observed": observed} if observed else {})


def _said(finding: Finding) -> str:
    return f"{finding.item.id}: {finding.reason}"


class RuleFires(Demand, frozen=True, kw_only=True):
    """One rule on one example call: whether it fires as its author says; one that breaks fires, as it does live."""

    rule: Rule
    wanted: bool

    def judge(self, evidence: Evidence, /) -> Judgement:
        (call,) = evidence.calls
        found = judge_rule(self.rule, call)
        fires = found.outcome is not Outcome.passed
        if fires is self.wanted:
            return Judgement(outcome=Outcome.passed, reason=found.reason)
        verb = "denies" if self.rule.action == "deny" else "warns of"
        if self.wanted:
            return failed(
                "does_not_fire", f"`{self.rule.item.id}` {verb} nothing here, and its author says it must", about=(0,)
            )
        return failed(
            "fires",
            f"`{self.rule.item.id}` {verb} this call, and its author says it must not: {found.reason}",
            about=(0,),
        )
