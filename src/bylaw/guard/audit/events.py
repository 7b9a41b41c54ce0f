"""What the guard records of a call: one event for every decision and every outcome."""

from __future__ import annotations

import time
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, ClassVar

import msgspec


class AuditAction(StrEnum):
    """What happened to the call."""

    CALL_DENIED = "call_denied"
    CALL_WOULD_DENY = "call_would_deny"
    CALL_ALLOWED = "call_allowed"
    CALL_EXECUTED = "call_executed"
    CALL_FAILED = "call_failed"
    POSTCONDITION_WARNING = "postcondition_warning"


class ContractRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One contract that was evaluated on the call. `observed` ones never decide."""

    id: str
    type: str
    passed: bool
    message: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    observed: bool = False
    policy_error: bool = False


class HookRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One Python hook that was asked about the call."""

    name: str
    passed: bool
    message: str | None = None
    policy_error: bool = False


class AuditEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="schema_version", tag="1"):
    """One line of the audit log. What has its default is left out of the line.

    `tool_args`, `principal`, `reason`, `error` and `result_summary` are redacted before they come here; `redacted`
    names the places in `tool_args` whose value is no longer what the tool got. `contracts_omitted` counts contracts
    that passed and are not listed.
    """

    schema_version: ClassVar[str] = "1"

    timestamp: str
    action: AuditAction
    run_id: str
    call_id: str
    call_index: int
    tool_name: str
    tool_args: Mapping[str, Any]
    environment: str
    mode: str
    policy_version: str
    parent_call_id: str | None = None
    session_id: str | None = None
    side_effect: str | None = None
    principal: Mapping[str, Any] | None = None
    decision_source: str | None = None
    decision_name: str | None = None
    reason: str | None = None
    hooks_evaluated: tuple[HookRecord, ...] = ()
    contracts_evaluated: tuple[ContractRecord, ...] = ()
    contracts_omitted: int = 0
    tool_success: bool | None = None
    postconditions_passed: bool | None = None
    duration_ms: float = 0.0
    error: str | None = None
    result_summary: str | None = None
    session_attempt_count: int = 0
    session_execution_count: int = 0
    policy_error: bool = False
    redacted: tuple[str, ...] = ()


def iso_timestamp(epoch_ns: int) -> str:
    """ISO 8601 in UTC with microseconds; the date is spelled out once a second, not once a call."""
    if epoch_ns < _LONG:
        second, rest = divmod(epoch_ns, 1_000_000_000)
        return f"{_to_the_second(str(second))}{rest // 1000:06d}Z"
    digits = str(epoch_ns)
    return f"{_to_the_second(digits[:-9])}{digits[-9:-3]}Z"


_LONG = 10**9
"""From here on a time has nanoseconds and seconds, digit by digit."""


@lru_cache(maxsize=8)
def _to_the_second(second: str) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime(int(second)))
