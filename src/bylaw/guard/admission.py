"""Whether a call may be made: attempts, session contracts, hooks, preconditions, places; the first denial ends it."""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from typing import Any

from bylaw.evidence import ToolCall
from bylaw.guard.armed import Armed
from bylaw.guard.asked import Asked, resolved
from bylaw.guard.asking import ask_condition, ask_hook, ask_rule, broke
from bylaw.guard.decision import decision_of
from bylaw.guard.judged import Judged
from bylaw.guard.judging import judge_before
from bylaw.guard.python_rules import SessionCounts
from bylaw.guard.request import Request
from bylaw.guard.sessions import Lease, Reserved
from bylaw.guard.shown import said_by
from bylaw.guard.steps import Count, Reserve, Step, Take, Wanted
from bylaw.policy.deciding import limit_findings, wanted_calls
from bylaw.policy.ledger import Taken
from bylaw.policy.rules import ATTEMPTS, CALLS, calls_of
from bylaw.verdict import Finding, Item

UNCOUNTED = "this session can't be counted now"
log = logging.getLogger("bylaw.guard")


class _Case:
    """A call on its way: what was found so far, and what its session stands at."""

    __slots__ = ("armed", "attempts", "call", "denied", "executions", "findings", "lease", "omitted", "request")

    def __init__(self, armed: Armed, request: Request, call: ToolCall) -> None:
        self.armed = armed
        self.request = request
        self.call = call
        self.findings: list[Finding] = []
        self.denied = False
        self.omitted = 0
        self.attempts = 0
        self.executions = 0
        self.lease: Lease | None = None

    def add(self, *findings: Finding) -> None:
        for found in findings:
            self.findings.append(found)
            if found.action == "deny" and found.item.binding:
                self.denied = True

    def judged(self) -> Judged:
        return Judged(
            request=self.request,
            call=self.call,
            decision=decision_of(tuple(self.findings), omitted=self.omitted),
            lease=self.lease,
            attempts=self.attempts,
            executions=self.executions,
        )


def admit(armed: Armed, request: Request, asked: Asked) -> Generator[Step, Any, Judged]:
    asked = yield from resolved(asked, request)
    case = _Case(armed, request, asked.call)
    named = bool(request.session_id)
    if armed.attempts and named:
        counted = yield from _attempt(case)
        if armed.session_contracts and counted and not case.denied:
            yield from _session_contracts(case)
    if not case.denied and asked.problem is not None:
        about = Item(id=asked.problem.about, kind=asked.problem.about, binding=armed.enforces)
        case.add(broke(about, asked.problem.reason))
    elif not case.denied:
        yield from _rules(case)
    if not case.denied and named:
        yield from _places(case)
    return case.judged()


def _attempt(case: _Case) -> Generator[Step, Any, bool]:
    """Whether it was counted; session contracts in Python want it counted although no contract limits it."""
    armed = case.armed
    try:
        taken: Taken = yield Take(case.request.session_id, armed.attempts)
    except Exception as error:  # noqa: BLE001 what keeps the counters may be the user's own: whatever it raises, nothing was counted
        _uncounted(case, armed.attempts, error)
        return False
    case.attempts = taken.counts[0]
    case.add(*limit_findings(armed.policy, case.call, wanted=armed.attempts, taken=taken))
    return True


def _uncounted(case: _Case, wanted: Wanted, error: Exception) -> None:
    """Every limit on a counter that could not be taken counts as broken, and so do contracts that read the counts.

    The agent learns that, and not what the counters are kept in.
    """
    why = said_by(error)
    log.warning("session `%s` could not be counted: %s", case.request.session_id, why)
    counters = {counter for counter, _ in wanted}
    limited = {limit.item.id: limit.item for limit in case.armed.policy.limits if limit.counter in counters}
    case.add(*[broke(item, UNCOUNTED, why=why) for item in limited.values()])
    for rule in case.armed.session_contracts:
        if not case.denied:
            case.add(broke(rule.item(binding=case.armed.enforces), UNCOUNTED, why=why))


def _session_contracts(case: _Case) -> Generator[Step, Any, None]:
    try:
        counts: Mapping[str, int] = yield Count(case.request.session_id)
    except Exception as error:  # noqa: BLE001 as above: what can't be read must not be passed over
        _uncounted(case, (), error)
        return
    case.executions = counts.get(CALLS, 0)
    for rule in case.armed.session_contracts:
        seen = SessionCounts(
            session_id=case.request.session_id,
            attempts=counts.get(ATTEMPTS, 0),
            executions=case.executions,
            per_tool={name.partition(":")[2]: count for name, count in counts.items() if ":" in name},
        )
        case.add((yield from ask_rule(rule, (seen,), binding=case.armed.enforces)))
        if case.denied:
            return


def _rules(case: _Case) -> Generator[Step, Any, None]:
    """Hooks, then the contracts of the bundle, all of them, then conditions in Python.

    Each function gets an envelope of its own: what one writes into it must not mislead the next.
    """
    armed, call = case.armed, case.call
    for hook in armed.hooks_before:
        if hook.names(call.tool):
            envelope = armed.envelope(case.request, call)
            found = yield from ask_hook(hook, envelope, binding=armed.enforces)
            if found is not None:
                case.add(found)
            if case.denied:
                return
    findings, case.omitted = judge_before(armed.policy, call, armed.policy.before.of(call.tool))
    case.add(*findings)
    for rule in armed.preconditions:
        if case.denied:
            return
        if not rule.names(call.tool):
            continue
        envelope = armed.envelope(case.request, call)
        found = yield from ask_condition(rule, envelope, (envelope,), binding=armed.enforces)
        if found is not None:
            case.add(found)


def _places(case: _Case) -> Generator[Step, Any, None]:
    tool = case.call.tool
    wanted = wanted_calls(case.armed.policy, tool)
    if not wanted and case.armed.session_contracts:
        wanted = ((CALLS, None), (calls_of(tool), None))
    if not wanted:
        return
    try:
        reserved: Reserved = yield Reserve(case.request.session_id, wanted)
    except Exception as error:  # noqa: BLE001 as above: a call that can't be counted must not be made
        _uncounted(case, wanted, error)
        return
    case.lease = reserved.lease
    case.executions = reserved.taken.counts[0]
    case.add(*limit_findings(case.armed.policy, case.call, wanted=wanted, taken=reserved.taken))
