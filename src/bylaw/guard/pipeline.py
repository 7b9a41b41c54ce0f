"""One governed call, from snapshot to settled places, written once.

`govern` is a generator: it yields what it wants done (a place taken, a function asked, the tool run) and is sent what
came of it. The drivers in `drivers` do it, blocking or awaiting. So there is one pipeline, not two.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

from bylaw.guard.admission import admit
from bylaw.guard.aftermath import look_after
from bylaw.guard.armed import Armed
from bylaw.guard.asked import asked
from bylaw.guard.asking import broke
from bylaw.guard.decision import Denied, Outcome, decision_of, judged
from bylaw.guard.judged import Judged
from bylaw.guard.reporting import CallRecord, Reporter
from bylaw.guard.request import Request
from bylaw.guard.results import answer_of
from bylaw.guard.sessions import Lease
from bylaw.guard.steps import Execute, Raised, Settle, Step
from bylaw.guard.telemetry import Watched
from bylaw.verdict import Item

UNRECORDED = "the audit could not be written, and this guard must not act unrecorded"


def govern(armed: Armed, request: Request, watched: Watched | None = None) -> Generator[Step, Any, Outcome | None]:
    """What came of the call, or None where the tool raised; raises `Denied` where it may not be made."""
    found = asked(request, looks_back=armed.looks_back)
    request = found.request
    if armed.plain and found.problem is None and not callable(request.principal):
        case = Judged(request=request, call=found.call, decision=judged(armed.policy, found.call))
    else:
        case = yield from admit(armed, request, found)
    if watched is not None:
        watched.decided(case)
    if not case.decision.allowed:
        raise _denied(armed, case)
    record = None
    if armed.reporter is not None:
        record = yield from _recorded(armed.reporter, armed, case, watched)
    began = time.perf_counter()
    result = yield Execute(found.args)
    ms = (time.perf_counter() - began) * 1000
    if type(result) is Raised:
        yield from _failed(case, record, result, ms)
        return None
    if case.lease is not None:
        yield from _kept(armed, case.lease, record, result, ms)
    if armed.looks_after:
        return (yield from look_after(armed, case, record, result, ms))
    if record is not None:
        record.executed((), 0, answer_of(result).text, ms)
    return Outcome(result=result, decision=case.decision)


def _denied(armed: Armed, case: Judged) -> Denied:
    decision = case.decision
    if armed.reporter is not None:
        armed.reporter.about(case).denied()
    return Denied(decision.reason, decision.source, decision.name, decision=decision)


def _recorded(
    reporter: Reporter, armed: Armed, case: Judged, watched: Watched | None
) -> Generator[Step, Any, CallRecord]:
    """Whatever keeps it from being recorded, the places it holds come back if the tool does not run."""
    told = False
    try:
        record = reporter.about(case)
        told = record.allowed()
    finally:
        if not told and case.lease is not None:
            yield Settle(case.lease, False)
    if not told:
        found = broke(Item(id="audit", kind="audit"), UNRECORDED)
        decision = decision_of((*case.decision.findings, found), omitted=case.decision.omitted)
        unrecorded = Judged(request=case.request, call=case.call, decision=decision)
        if watched is not None:
            watched.decided(unrecorded)
        raise _denied(armed, unrecorded)
    return record


def _failed(case: Judged, record: CallRecord | None, raised: Raised, ms: float) -> Generator[Step, Any, None]:
    """Whatever keeps it from being recorded, the places come back; or stay, if the tool did its work."""
    try:
        if record is not None:
            record.failed(raised.error, ms, has_run=raised.has_run)
    finally:
        if case.lease is not None:
            yield Settle(case.lease, raised.has_run)


def _kept(
    armed: Armed, lease: Lease, record: CallRecord | None, result: Any, ms: float
) -> Generator[Step, Any, None]:
    try:
        yield Settle(lease, True)
    except BaseException:
        # Cancelled in between: the tool has run, and that is recorded; not an answer that no rule has looked at yet.
        if record is not None:
            record.executed((), 0, None if armed.looks_after else answer_of(result).text, ms)
        raise
