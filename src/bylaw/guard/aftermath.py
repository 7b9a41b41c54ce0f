"""What follows once the tool has run: postconditions, hooks, the record, warnings, and what the caller gets."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import msgspec

from bylaw.evidence import Answer
from bylaw.guard.armed import Armed
from bylaw.guard.asking import ask_condition, broke
from bylaw.guard.decision import Outcome
from bylaw.guard.judged import Judged
from bylaw.guard.judging import judge_after
from bylaw.guard.plain_data import strange_in
from bylaw.guard.reporting import CallRecord
from bylaw.guard.results import Shown, answer_of, given_to_caller, looks_at_output
from bylaw.guard.steps import Ask, Step
from bylaw.verdict import Finding


def look_after(
    armed: Armed, case: Judged, record: CallRecord | None, result: Any, ms: float
) -> Generator[Step, Any, Outcome]:
    answer = answer_of(result)
    call = msgspec.structs.replace(case.call, answer=Answer(text=answer.text, ms=ms))
    findings, omitted = judge_after(armed.policy, call)
    findings = _with_unreadable(armed, call.tool, findings, answer, result)
    given = given_to_caller(result, call, findings, armed.policy, armed.mark)
    found = list(given.findings)
    try:
        if armed.postconditions or armed.hooks_after:
            for rule in armed.postconditions:
                if not rule.names(call.tool):
                    continue
                envelope = armed.envelope(case.request, case.call)
                said = yield from ask_condition(rule, envelope, (envelope, result), binding=armed.enforces)
                found += [] if said is None else [said]
            yield from _tell_hooks(armed, case, result)
    finally:
        # Cancelled in between or not: the tool has run, and that is recorded.
        if record is not None:
            record.executed(tuple(found), omitted, answer_of(given.result).text, ms)
    warnings = tuple(one for one in found if one.action == "warn" and one.binding)
    if warnings and armed.on_warning is not None:
        yield from _warn(armed, case.call.tool, warnings)
    return Outcome(result=given.result, decision=case.decision, warnings=warnings)


def _with_unreadable(
    armed: Armed, tool: str, findings: tuple[Finding, ...], answer: Shown, result: Any
) -> tuple[Finding, ...]:
    """Rules that look at an answer which can't be made text could not be judged.

    Nor could those that are to keep something from the caller, where the text need not be all of the answer.
    """
    if type(result) is str or result is None:
        return findings
    rules = [rule for rule in armed.policy.after.of(tool).rules if looks_at_output(rule.when)]
    why_not = answer.why_not
    if not why_not:
        rules = [rule for rule in rules if rule.output]
        strange = strange_in(result) if rules else None
        if strange is None:
            return findings
        why_not = f"the answer holds a {strange}, and its text need not show what is in that"
    broken = {rule.item.id: broke(rule.item, why_not, action=rule.action) for rule in rules}
    kept = [broken.pop(found.item.id, found) for found in findings]
    return (*kept, *broken.values())


def _tell_hooks(armed: Armed, case: Judged, result: Any) -> Generator[Step, Any, None]:
    tool = case.call.tool
    for hook in armed.hooks_after:
        if not hook.names(tool):
            continue
        try:
            envelope = armed.envelope(case.request, case.call)
            if hook.applies(envelope):
                yield Ask(hook.callback, (envelope, result))
        except Exception as error:  # noqa: BLE001 the tool has run: a hook that raises now is told, and changes nothing
            armed.complain(f"hook `{hook.name}` failed after `{tool}`", error)


def _warn(armed: Armed, tool: str, warnings: tuple[Finding, ...]) -> Generator[Step, Any, None]:
    assert armed.on_warning is not None, "the caller asked"
    for found in warnings:
        try:
            yield Ask(armed.on_warning, (tool, found))
        except Exception as error:  # noqa: BLE001 the tool has run: a listener that raises now is told, and changes nothing
            armed.complain("the listener for warnings failed", error)
