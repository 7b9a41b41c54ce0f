"""An event is one JSON object, and comes back from it as it was."""

from __future__ import annotations

import msgspec
import pytest

from bylaw.guard.audit import AuditAction, AuditEvent, ContractRecord, HookRecord, iso_timestamp
from bylaw.guard.audit.chain import Link

from .samples import NOON, event


def test_actions_are_lower_case_in_json() -> None:
    assert sorted(AuditAction) == [
        "call_allowed", "call_denied", "call_executed", "call_failed", "call_would_deny", "postcondition_warning",
    ]  # fmt: skip


def test_an_event_survives_its_json() -> None:
    full = event(
        3,
        action=AuditAction.CALL_DENIED,
        parent_call_id="call-2",
        session_id="s",
        side_effect="write",
        principal={"user_id": "jo", "claims": {"level": 2}},
        decision_source="yaml_precondition",
        decision_name="no-prod",
        reason="not in production",
        hooks_evaluated=(HookRecord(name="budget", passed=True),),
        contracts_evaluated=(
            ContractRecord(
                id="no-prod", type="pre", passed=False, message="no", tags=("a",), metadata={"n": 1},
                observed=True, policy_error=True,
            ),
        ),
        contracts_omitted=70,
        tool_success=False,
        postconditions_passed=True,
        duration_ms=1.5,
        error="boom",
        result_summary="…",
        session_attempt_count=4,
        session_execution_count=2,
        policy_error=True,
        redacted=("token",),
    )  # fmt: skip
    assert msgspec.json.decode(msgspec.json.encode(full), type=AuditEvent) == full


def test_the_schema_version_is_always_written_and_another_one_is_refused() -> None:
    line = msgspec.json.encode(event())
    assert msgspec.json.decode(line)["schema_version"] == AuditEvent.schema_version == "1"
    with pytest.raises(msgspec.ValidationError, match="schema_version"):
        msgspec.json.decode(line.replace(b'"schema_version":"1"', b'"schema_version":"2"'), type=AuditEvent)


def test_what_decides_is_always_written_even_at_its_default() -> None:
    written = msgspec.json.decode(msgspec.json.encode(event(0, contracts_evaluated=(_passed(),))))
    assert written["call_index"] == 0
    assert written["contracts_evaluated"] == [{"id": "c", "type": "pre", "passed": True}]


def _passed() -> ContractRecord:
    return ContractRecord(id="c", type="pre", passed=True)


def test_no_field_of_an_event_can_pass_for_one_of_the_chain() -> None:
    assert not {*AuditEvent.__struct_fields__, "schema_version"} & set(Link.__struct_fields__)


@pytest.mark.parametrize(
    ("epoch_ns", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (NOON, "2025-10-09T08:53:20.000000Z"),
        (NOON + 999_999_999, "2025-10-09T08:53:20.999999Z"),
        (NOON + 1_000_000_000, "2025-10-09T08:53:21.000000Z"),
    ],
)
def test_timestamps_are_utc_with_microseconds(epoch_ns: int, text: str) -> None:
    assert iso_timestamp(epoch_ns) == text
