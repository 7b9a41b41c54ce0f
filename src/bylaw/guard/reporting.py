"""Decisions and outcomes, told to the audit. A sink that fails never changes a decision, unless asked to."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bylaw.evidence import ToolCall
from bylaw.guard.audit.events import AuditAction, AuditEvent, ContractRecord, HookRecord, iso_timestamp
from bylaw.guard.audit.redaction import Redactor
from bylaw.guard.audit.sinks import AuditSink
from bylaw.guard.decision import Decision, source_of
from bylaw.guard.request import Request
from bylaw.guard.results import answer_text
from bylaw.verdict import Finding, Outcome

log = logging.getLogger("bylaw.guard")
SUMMARY = 500


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
        side_effects: Mapping[str, str] | None = None,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self.strict = strict
        self._sink = sink
        self._redactor = redactor
        self._version = policy_version
        self._mode = mode
        self._run_id = run_id
        self._side_effects = side_effects or {}
        self._clock = clock
        self._failed = False
        self._passes: dict[int, tuple[Finding, ContractRecord]] = {}

    def denied(self, request: Request, call: ToolCall, decision: Decision) -> bool:
        return self._tell(AuditAction.CALL_DENIED, request, call, decision, observed=decision.would_deny)

    def allowed(self, request: Request, call: ToolCall, decision: Decision) -> bool:
        """Whether the call may go on: false only where it must be told and could not be."""
        return self._tell(AuditAction.CALL_ALLOWED, request, call, decision, observed=decision.would_deny)

    def executed(
        self, request: Request, call: ToolCall, decision: Decision, after: Iterable[Finding], result: Any, ms: float
    ) -> bool:
        findings = tuple(after)
        warned = [found for found in findings if found.action == "warn" and found.binding]
        text = answer_text(result)
        told = self._tell(
            AuditAction.CALL_EXECUTED,
            request,
            call,
            decision,
            after=findings,
            tool_success=True,
            postconditions_passed=not warned,
            duration_ms=ms,
            result_summary=None if text is None else self._redactor.redact_text(text, most=SUMMARY),
        )
        for found in warned:
            told = self._warn(request, call, decision, found) and told
        return told

    def failed(self, request: Request, call: ToolCall, decision: Decision, error: BaseException, ms: float) -> bool:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return self._tell(
            AuditAction.CALL_FAILED,
            request,
            call,
            decision,
            tool_success=False,
            duration_ms=ms,
            error=self._redactor.redact_text(said, most=SUMMARY),
        )

    def _warn(self, request: Request, call: ToolCall, decision: Decision, found: Finding) -> bool:
        return self._tell(
            AuditAction.POSTCONDITION_WARNING,
            request,
            call,
            decision,
            decision_source=source_of(found),
            decision_name=found.item.id,
            reason=self._redactor.redact_text(found.reason),
            policy_error=found.code == "policy_error",
            postconditions_passed=False,
        )

    def _tell(
        self,
        action: AuditAction,
        request: Request,
        call: ToolCall,
        decision: Decision,
        *,
        observed: Iterable[Finding] = (),
        after: tuple[Finding, ...] = (),
        **fields: Any,
    ) -> bool:
        args, redacted = self._redactor.redact_value(call.args)
        principal = None if call.principal is None else self._redactor.redact_value(call.principal)[0]
        findings = decision.findings + after
        common: dict[str, Any] = {
            "timestamp": iso_timestamp(self._clock()),
            "run_id": self._run_id,
            "call_id": request.call_id,
            "call_index": request.call_index,
            "tool_name": call.tool,
            "tool_args": args,
            "environment": call.environment,
            "mode": self._mode,
            "policy_version": self._version,
            "parent_call_id": request.parent_call_id,
            "session_id": request.session_id,
            "side_effect": self._side_effects.get(call.tool),
            "principal": principal,
            "contracts_evaluated": tuple(self._record(found) for found in findings if found.item.kind != "hook"),
            "contracts_omitted": decision.omitted,
            "hooks_evaluated": tuple(_hook(found) for found in findings if found.item.kind == "hook"),
            "redacted": redacted,
        }
        ok = True
        for found in observed:
            ok = self._emit(self._would_deny(common, found)) and ok
        said: dict[str, Any] = {
            "decision_source": decision.source,
            "decision_name": decision.name,
            "reason": self._redactor.redact_text(decision.reason) if decision.reason else None,
            "policy_error": decision.policy_error or any(found.code == "policy_error" for found in after),
        }
        return self._emit(AuditEvent(action=action, **common, **(said | fields))) and ok

    def _would_deny(self, common: Mapping[str, Any], found: Finding) -> AuditEvent:
        return AuditEvent(
            action=AuditAction.CALL_WOULD_DENY,
            **common,
            decision_source=source_of(found),
            decision_name=found.item.id,
            reason=self._redactor.redact_text(found.reason),
            policy_error=found.code == "policy_error",
        )

    def _record(self, found: Finding) -> ContractRecord:
        """The record of a pass is the same for every call, so it is made once per rule."""
        if found.outcome is Outcome.passed:
            known = self._passes.get(id(found))
            if known is not None and known[0] is found:
                return known[1]
        record = ContractRecord(
            id=found.item.id,
            type=found.item.kind,
            passed=found.outcome is Outcome.passed,
            message=self._redactor.redact_text(found.reason) if found.reason else None,
            tags=tuple(found.item.data.get("tags", ())),
            metadata=found.item.data.get("metadata", {}),
            observed=not found.binding,
            policy_error=found.code == "policy_error",
        )
        if found.outcome is Outcome.passed and len(self._passes) < 10_000:
            self._passes[id(found)] = (found, record)
        return record

    def _emit(self, event: AuditEvent) -> bool:
        """Whether it counts as told. A failure is reported once, until it works again."""
        try:
            self._sink.emit(event)
        except Exception as error:  # noqa: BLE001 a sink is a border: what it raises must not reach the caller of a tool
            if not self._failed:
                log.error("the audit could not be written: %s", error)
            self._failed = True
            return not self.strict
        self._failed = False
        return True


def _hook(found: Finding) -> HookRecord:
    return HookRecord(
        name=found.item.id,
        passed=found.outcome is Outcome.passed,
        message=found.reason or None,
        policy_error=found.code == "policy_error",
    )
