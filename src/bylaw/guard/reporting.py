"""Decisions and outcomes, told to the audit. A sink that fails never changes a decision, unless asked to."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from bylaw.guard.audit.events import AuditAction, AuditEvent, ContractRecord, HookRecord, iso_timestamp
from bylaw.guard.audit.sinks import AuditSink
from bylaw.guard.decision import source_of, told_by
from bylaw.guard.judged import Judged
from bylaw.guard.principals import Principals
from bylaw.guard.remembered import Remembered
from bylaw.guard.shown import said_by
from bylaw.redaction import Redactor
from bylaw.verdict import Finding, Outcome

log = logging.getLogger("bylaw.guard")
SUMMARY = 500
HOOK = "hook"
LIMIT = "session"
Evaluated = tuple[tuple[ContractRecord, ...], tuple[HookRecord, ...]]


class Reporter:
    """Makes an event of everything that happens to a call. `strict` asks that what can't be told is not done."""

    def __init__(
        self,
        *,
        sink: AuditSink,
        redactor: Redactor,
        policy_version: str,
        mode: str,
        run_id: str,
        strict: bool = False,
        side_effects: Mapping[str, str | None] | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self.strict = strict
        self.redactor = redactor
        self.blank = AuditEvent(
            timestamp="",
            action=AuditAction.CALL_ALLOWED,
            run_id=run_id,
            call_id="",
            call_index=0,
            tool_name="",
            tool_args={},
            environment="",
            mode=mode,
            policy_version=policy_version,
        )
        self.side_effects = side_effects or {}
        self.clock = clock
        self._sink = sink
        self._failed = False
        self._passes: Remembered[Finding, ContractRecord] = Remembered(10_000)
        self._all_passed: Remembered[tuple[Finding, ...], Evaluated] = Remembered(1_000)
        self.principals = Principals(redactor)

    def about(self, judged: Judged) -> CallRecord:
        return CallRecord(self, judged)

    def emit(self, event: AuditEvent) -> bool:
        """Whether it counts as told. A failure is reported once, until it works again."""
        try:
            self._sink.emit(event)
        except Exception as error:  # noqa: BLE001 a sink is a border: what it raises must not reach the caller of a tool
            if not self._failed:
                log.error("the audit could not be written: %s", said_by(error))
            self._failed = True
            return not self.strict
        self._failed = False
        return True

    def evaluated(self, findings: tuple[Finding, ...], redactor: Redactor) -> Evaluated:
        """Where all rules for a tool pass, that is the same for every call."""
        known = self._all_passed.of(findings)
        if known is not None:
            return known
        made = self.contracts(findings, redactor), self._hooks(findings, redactor)
        passed = all(found.outcome is Outcome.passed for found in findings)
        return self._all_passed.keep(findings, made) if passed else made

    def contracts(self, findings: Iterable[Finding], redactor: Redactor) -> tuple[ContractRecord, ...]:
        """One record for each contract: one with several limits is listed with the first that was exceeded."""
        limits: dict[str, int] = {}
        records: list[ContractRecord] = []
        for found in findings:
            kind = found.item.kind
            if kind == HOOK:
                continue
            if kind == LIMIT:
                known = limits.setdefault(found.item.id, len(records))
                if known < len(records):
                    if records[known].passed:
                        records[known] = self._contract(found, redactor)
                    continue
            records.append(self._contract(found, redactor))
        return tuple(records)

    def _hooks(self, findings: Iterable[Finding], redactor: Redactor) -> tuple[HookRecord, ...]:
        return tuple([_hook(found, redactor) for found in findings if found.item.kind == HOOK])

    def _contract(self, found: Finding, redactor: Redactor) -> ContractRecord:
        """The record of a pass is the same for every call, so it is made once per rule."""
        passed = found.outcome is Outcome.passed
        known = self._passes.of(found) if passed else None
        if known is not None:
            return known
        metadata = found.item.data.get("metadata", {})
        record = ContractRecord(
            id=found.item.id,
            type=found.item.kind,
            passed=passed,
            message=redactor.redact_text(told_by(found)) if found.reason else None,
            tags=tuple(found.item.data.get("tags", ())),
            metadata=redactor.redact_value(metadata)[0] if metadata else metadata,
            observed=not found.binding,
            policy_error=found.code == "policy_error",
        )
        return self._passes.keep(found, record) if passed else record


def _hook(found: Finding, redactor: Redactor) -> HookRecord:
    return HookRecord(
        name=found.item.id,
        passed=found.outcome is Outcome.passed,
        message=redactor.redact_text(found.reason) if found.reason else None,
        policy_error=found.code == "policy_error",
    )


class CallRecord:
    """What is told of one call. What its events share is made once; each is that event with what differs.

    A secret that is taken out of the arguments or of who asks is taken out of everything told of the call.
    """

    __slots__ = ("_judged", "_redactor", "_reporter", "_shared")

    def __init__(self, reporter: Reporter, judged: Judged) -> None:
        self._reporter = reporter
        self._judged = judged
        request, call, decision = judged.request, judged.call, judged.decision
        redactor = reporter.redactor
        args, redacted, secrets = redactor.take_out(call.args)
        principal, more_secrets = reporter.principals.taken_out(call.principal)
        if secrets or more_secrets:
            redactor = redactor.knowing((*secrets, *more_secrets))
            args, redacted = redactor.redact_value(call.args)
            principal = None if call.principal is None else redactor.redact_value(call.principal)[0]
        self._redactor = redactor
        contracts, hooks = reporter.evaluated(decision.findings, redactor)
        self._shared = replace(
            reporter.blank,
            call_id=request.call_id,
            call_index=request.call_index,
            tool_name=call.tool,
            tool_args=args,
            environment=call.environment,
            parent_call_id=request.parent_call_id,
            session_id=request.session_id,
            side_effect=reporter.side_effects.get(call.tool),
            principal=principal,
            hooks_evaluated=hooks,
            contracts_evaluated=contracts,
            contracts_omitted=decision.omitted,
            session_attempt_count=judged.attempts,
            # All executions but the place this call holds.
            session_execution_count=judged.executions - (judged.lease is not None),
            policy_error=decision.policy_error,
            redacted=redacted,
        )

    def denied(self) -> bool:
        decision = self._judged.decision
        told = self._would_deny()
        reason = self._redactor.redact_text(decision.told)
        who = {"decision_source": decision.source, "decision_name": decision.name, "reason": reason or None}
        return self._tell(AuditAction.CALL_DENIED, self._shared, **who) and told

    def allowed(self) -> bool:
        """Whether the call may go on: false only where it must be told and could not be."""
        told = self._would_deny()
        reporter = self._reporter
        return reporter.emit(replace(self._shared, timestamp=iso_timestamp(reporter.clock()))) and told

    def executed(self, after: tuple[Finding, ...], omitted: int, text: str | None, ms: float) -> bool:
        """`after` is what was found once the tool had run, `text` its answer as far as the caller gets it."""
        reporter, shared = self._reporter, self._shared
        contracts, error = shared.contracts_evaluated, shared.policy_error
        warned: list[Finding] = []
        if after:
            contracts += reporter.contracts(after, self._redactor)
            error = error or any(found.code == "policy_error" for found in after)
            warned = [found for found in after if found.action == "warn" and found.binding]
        ran = replace(
            shared,
            timestamp=iso_timestamp(reporter.clock()),
            action=AuditAction.CALL_EXECUTED,
            contracts_evaluated=contracts,
            contracts_omitted=shared.contracts_omitted + omitted,
            session_execution_count=self._judged.executions,
            tool_success=True,
            postconditions_passed=not warned,
            duration_ms=ms,
            policy_error=error,
            result_summary=None if text is None else self._redactor.redact_text(text, most=SUMMARY),
        )
        told = reporter.emit(ran)
        for found in warned:
            who = self._deciding(found)
            told = self._tell(AuditAction.POSTCONDITION_WARNING, ran, result_summary=None, **who) and told
        return told

    def failed(self, error: BaseException, ms: float, *, has_run: bool) -> bool:
        """`has_run` is true where the tool did its work, and its answer was refused."""
        judged, shared = self._judged, self._shared
        said = self._redactor.redact_text(said_by(error), most=SUMMARY)
        return self._tell(
            AuditAction.CALL_FAILED,
            shared,
            tool_success=False,
            duration_ms=ms,
            error=said,
            session_execution_count=judged.executions if has_run else shared.session_execution_count,
        )

    def _would_deny(self) -> bool:
        """An event for each contract that only observes and would have denied."""
        if not self._judged.decision.would_deny:
            return True
        told = True
        first: dict[tuple[str, str], Finding] = {}
        for found in self._judged.decision.would_deny:
            first.setdefault((found.item.kind, found.item.id), found)
        for found in first.values():
            told = self._tell(AuditAction.CALL_WOULD_DENY, self._shared, **self._deciding(found)) and told
        return told

    def _deciding(self, found: Finding) -> dict[str, Any]:
        return {
            "decision_source": source_of(found),
            "decision_name": found.item.id,
            "reason": self._redactor.redact_text(told_by(found)),
            "policy_error": found.code == "policy_error",
        }

    def _tell(self, action: AuditAction, event: AuditEvent, **fields: Any) -> bool:
        reporter = self._reporter
        return reporter.emit(replace(event, timestamp=iso_timestamp(reporter.clock()), action=action, **fields))
