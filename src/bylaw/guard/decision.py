"""What the guard decided about a call, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.errors import BylawError
from bylaw.evidence import ToolCall
from bylaw.guard.asking import WHY
from bylaw.guard.judging import judge_before
from bylaw.policy import Policy
from bylaw.verdict import Finding

SOURCES = {"pre": "yaml_precondition", "post": "yaml_postcondition", "session": "yaml_session"}


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the call may be made. `source`, `name` and `reason` are those of the first enforced denial.

    `findings` has every rule that was judged, in order; where there are very many, only those that did not pass.
    `would_deny` has those of rules that only observe, and would have denied.
    """

    allowed: bool
    findings: tuple[Finding, ...] = ()
    would_deny: tuple[Finding, ...] = ()
    reason: str = ""
    source: str | None = None
    name: str | None = None
    policy_error: bool = False
    omitted: int = 0

    @property
    def metadata(self) -> Mapping[str, Any]:
        """`then.metadata` of the rule that decided."""
        deciding = self._deciding
        return {} if deciding is None else deciding.item.data.get("metadata", {})

    @property
    def told(self) -> str:
        """The reason as the audit has it: an agent is not told what the program around it is made of."""
        deciding = self._deciding
        return self.reason if deciding is None else told_by(deciding)

    @property
    def _deciding(self) -> Finding | None:
        return next((found for found in self.findings if _denies(found)), None)


class Denied(BylawError):
    """The call was not made. `reason` is for the agent; the rest says who decided, and what else was found."""

    def __init__(
        self,
        reason: str,
        decision_source: str | None = None,
        decision_name: str | None = None,
        *,
        decision: Decision | None = None,
    ) -> None:
        self.reason = reason
        self.decision_source = decision_source
        self.decision_name = decision_name
        self.decision = decision
        super().__init__(reason)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was made: what the caller gets, and what it is warned of."""

    result: Any
    decision: Decision
    warnings: tuple[Finding, ...] = ()


def told_by(finding: Finding) -> str:
    """The reason with what only the audit and the log are told."""
    why = finding.details.get(WHY)
    return f"{finding.reason}: {why}" if why else finding.reason


def source_of(finding: Finding) -> str:
    return SOURCES.get(finding.item.kind, finding.item.kind)


def _denies(finding: Finding) -> bool:
    return finding.action == "deny" and finding.item.binding


def judged(policy: Policy, call: ToolCall) -> Decision:
    """What the preconditions of a policy come to. Where all pass, nothing is looked at one by one."""
    rules = policy.before.of(call.tool)
    findings, omitted = judge_before(policy, call, rules)
    if findings is rules.passes:
        return Decision(allowed=True, findings=findings, omitted=omitted)
    return decision_of(findings, omitted=omitted)


def decision_of(findings: tuple[Finding, ...], *, omitted: int = 0) -> Decision:
    """The first enforced denial decides."""
    deciding: Finding | None = None
    observed: tuple[Finding, ...] = ()
    error = False
    for found in findings:
        action = found.action
        if action:
            error = error or found.code == "policy_error"
            if action == "deny":
                if not found.item.binding:
                    observed += (found,)
                elif deciding is None:
                    deciding = found
    if deciding is None:
        return Decision(allowed=True, findings=findings, would_deny=observed, policy_error=error, omitted=omitted)
    item = deciding.item
    return Decision(
        allowed=False,
        findings=findings,
        would_deny=observed,
        reason=deciding.reason,
        source=SOURCES.get(item.kind, item.kind),
        name=item.id,
        policy_error=error,
        omitted=omitted,
    )
