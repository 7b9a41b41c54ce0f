"""A recorded call as a judge hears it, and what the record says was decided."""

from __future__ import annotations

import msgspec

from bylaw.evidence import Answer, ToolCall
from bylaw.guard.audit.events import AuditAction
from bylaw.guard.backtests.hidden import Fields, hidden_in, is_marked
from bylaw.guard.backtests.records import Record, principal_of
from bylaw.guard.backtests.standing import ALLOWED, NOT_WARNED, Standing, Warned

UNCOUNTED = "session"
_ALLOWED = AuditAction.CALL_ALLOWED


class Heard(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`hidden` are the fields that are not what was judged. `outside` is what denied the call if no bundle did."""

    record: Record
    call: ToolCall
    hidden: Fields = ()
    outside: str = ""


def hear(record: Record, *, answer: str | None = None) -> Heard:
    """Raises `msgspec.MsgspecError` where the record's arguments or principal are no mappings.

    A record keeps only the beginning of a long answer; `output.text` is then hidden.
    """
    principal = bytes(record.principal)
    hidden = hidden_in(record.redacted, principal)
    return Heard(
        record=record,
        call=ToolCall(
            tool=record.tool_name,
            args=record.args(),
            id=record.call_id,
            environment=record.environment,
            principal=principal_of(principal),
            answer=None if answer is None else Answer(text=answer),
        ),
        hidden=hidden if answer is None or not is_marked(answer) else (*hidden, "output.text"),
        outside="" if record.decision_source is None else _outside(record, record.decision_source),
    )


def _outside(record: Record, source: str) -> str:
    """What is in no bundle: rules in Python, arguments that can't be copied, a session that could not be counted."""
    if not source.startswith("yaml_"):
        return source
    if source == "yaml_session" and record.policy_error:
        broke = [each.id for each in record.judged() if each.policy_error]
        return UNCOUNTED if record.decision_name in broke else ""
    return ""


def recorded(heard: Heard) -> Standing:
    record = heard.record
    observed = record.observed()
    if record.action is _ALLOWED:
        return Standing(observed=observed) if observed else ALLOWED
    return Standing(allowed=False, contract=record.decision_name or heard.outside, observed=observed)


def recorded_warnings(record: Record) -> Warned:
    if b"false" not in bytes(record.contracts_evaluated):
        return NOT_WARNED
    failed = [each for each in record.judged() if each.type == "post" and not each.passed]
    return Warned(
        warned=tuple([each.id for each in failed if not each.observed]),
        observed=tuple([each.id for each in failed if each.observed]),
    )
