"""What the guard decided about a call, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.errors import BylawError
from bylaw.verdict import Finding

SOURCES = {"pre": "yaml_precondition", "post": "yaml_postcondition", "session": "yaml_session"}


class Denied(BylawError):
    """The call was not made. `reason` is for the agent; the rest says who decided."""

    def __init__(self, reason: str, decision_source: str | None = None, decision_name: str | None = None) -> None:
        self.reason = reason
        self.decision_source = decision_source
        self.decision_name = decision_name
        super().__init__(reason)


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the call may be made. `source`, `name` and `reason` are those of the first enforced denial.

    `findings` has every rule that was judged, in order; where there are very many, only those that did not pass.
    """

    allowed: bool
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    source: str | None = None
    name: str | None = None
    policy_error: bool = False
    omitted: int = 0

    @property
    def metadata(self) -> Mapping[str, Any]:
        """`then.metadata` of the rule that decided."""
        deciding = next((found for found in self.findings if found.item.id == self.name), None)
        return {} if deciding is None else deciding.item.data.get("metadata", {})

    @property
    def would_deny(self) -> tuple[Finding, ...]:
        """What observed rules would have denied."""
        return tuple(found for found in self.findings if found.action == "deny" and not found.binding)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was made: what the caller gets, and what it is warned of."""

    result: Any
    decision: Decision
    warnings: tuple[Finding, ...] = ()


def source_of(finding: Finding) -> str:
    return SOURCES.get(finding.item.kind, finding.item.kind)


def decision_of(findings: tuple[Finding, ...], *, omitted: int = 0) -> Decision:
    """The first enforced denial decides. Nothing is copied where none is there."""
    for found in findings:
        if found.action == "deny" and found.item.binding:
            return Decision(
                allowed=False,
                findings=findings,
                reason=found.reason,
                source=source_of(found),
                name=found.item.id,
                policy_error=any(other.code == "policy_error" for other in findings),
                omitted=omitted,
            )
    if omitted or any(found.action for found in findings):
        error = any(found.code == "policy_error" for found in findings)
        return Decision(allowed=True, findings=findings, policy_error=error, omitted=omitted)
    return Decision(allowed=True, findings=findings)
