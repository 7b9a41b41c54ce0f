"""One governed call, from snapshot to settled places, written once.

`govern` is a generator: it yields what it wants done (a place taken, a function asked, the tool run) and is sent what
came of it. The drivers in `drivers` do it, blocking or awaiting. So there is one pipeline, not two.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from typing import Any, Literal

import msgspec

from bylaw.evidence import Answer, ToolCall
from bylaw.guard.armed import Armed
from bylaw.guard.decision import Decision, Denied, Outcome, decision_of
from bylaw.guard.python_rules import HookDecision, PythonRule, SessionCounts, ToolEnvelope, Verdict
from bylaw.guard.request import Request
from bylaw.guard.results import answer_text, given_to_caller
from bylaw.guard.sessions import Lease, NotCounted, Reserved
from bylaw.guard.snapshot import CannotCopy, snapshot
from bylaw.policy import after, before
from bylaw.policy.deciding import limit_findings, wanted_attempts, wanted_calls
from bylaw.policy.ledger import Taken
from bylaw.policy.rules import ATTEMPTS, CALLS
from bylaw.verdict import Finding, Item
from bylaw.verdict import Outcome as Concluded


class Take(msgspec.Struct, frozen=True):
    """Count this attempt. Sent back: `Taken`; thrown: `NotCounted`."""

    session_id: str
    wanted: tuple[tuple[str, int | None], ...]


class Reserve(msgspec.Struct, frozen=True):
    """Hold places for this call. Sent back: `Reserved`; thrown: `NotCounted`."""

    session_id: str
    wanted: tuple[tuple[str, int | None], ...]


class Count(msgspec.Struct, frozen=True):
    """How a session stands. Sent back: its counters; thrown: `NotCounted`."""

    session_id: str


class Settle(msgspec.Struct, frozen=True):
    """The tool has run: keep its places or give them back. Never throws."""

    lease: Lease
    keep: bool


class Ask(msgspec.Struct, frozen=True):
    """Call a function of the user's, awaiting it where it is asynchronous. Thrown: whatever it raises."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Execute(msgspec.Struct, frozen=True):
    """Run the tool with these arguments. Sent back: its result; thrown: whatever it raises."""

    args: dict[str, Any]


Step = Take | Reserve | Count | Settle | Ask | Execute


def govern(armed: Armed, request: Request) -> Generator[Step, Any, Outcome]:
    """Raises `Denied` where the call may not be made, and the tool's own exception where the tool raises."""
    try:
        args = snapshot(request.args)
    except CannotCopy as error:
        call = ToolCall(
            tool=request.tool, id=request.call_id, environment=request.environment, principal=request.principal
        )
        decision = refused("arguments", f"the arguments can't be judged: {error}")
        return _deny(armed, request, call, decision)
    call = ToolCall(
        tool=request.tool,
        args=args,
        id=request.call_id,
        environment=request.environment,
        principal=request.principal,
    )
    lease: Lease | None = None
    if armed.plain:
        decision = decision_of(before(armed.policy, call), omitted=armed.policy.before.of(call.tool).omitted)
    else:
        decision, lease = yield from _decide(armed, request, call)
    if not decision.allowed:
        return _deny(armed, request, call, decision)
    if armed.reporter is not None and not armed.reporter.allowed(request, call, decision):
        if lease is not None:
            yield Settle(lease, False)
        raise Denied("the audit could not be written, and this guard must not act unrecorded", "audit", "audit")
    return (yield from _execute(armed, request, call, decision, lease))


def _deny(armed: Armed, request: Request, call: ToolCall, decision: Decision) -> Outcome:
    if armed.reporter is not None:
        armed.reporter.denied(request, call, decision)
    raise Denied(decision.reason, decision.source, decision.name)


def refused(source: str, reason: str, *, name: str | None = None, findings: tuple[Finding, ...] = ()) -> Decision:
    """A denial because something that has a say could not be asked."""
    item = Item(id=name or source, kind=source)
    found = Finding(item=item, outcome=Concluded.error, score=0.0, code="policy_error", reason=reason, action="deny")
    return Decision(
        allowed=False, findings=(*findings, found), reason=reason, source=source, name=item.id, policy_error=True
    )


def _decide(armed: Armed, request: Request, call: ToolCall) -> Generator[Step, Any, tuple[Decision, Lease | None]]:
    """Limits on attempts, session contracts, hooks, preconditions, limits on calls; the first denial ends it."""
    findings: tuple[Finding, ...] = ()
    policy = armed.policy
    try:
        wanted = wanted_attempts(policy)
        if wanted or armed.counts_attempts:
            taken: Taken = yield Take(request.session_id, wanted or ((ATTEMPTS, None),))
            findings += limit_findings(policy, call, wanted=wanted, taken=taken) if wanted else ()
        if armed.session_contracts:
            counts: Mapping[str, int] = yield Count(request.session_id)
            findings += yield from _session_contracts(armed, request, counts)
    except NotCounted as error:
        return refused("session", f"the session could not be counted: {error}", findings=findings), None
    decision = decision_of(findings)
    if not decision.allowed:
        return decision, None
    envelope = armed.envelope(request, call) if armed.has_python else None
    if envelope is not None:
        findings += yield from _hooks(armed, envelope)
        decision = decision_of(findings)
        if not decision.allowed:
            return decision, None
    findings += before(policy, call)
    omitted = policy.before.of(call.tool).omitted
    decision = decision_of(findings, omitted=omitted)
    if decision.allowed and envelope is not None:
        findings += yield from _conditions(armed, "precondition", envelope, (envelope,))
        decision = decision_of(findings, omitted=omitted)
    if not decision.allowed:
        return decision, None
    return (yield from _reserve(armed, request, call, findings, decision))


def _reserve(
    armed: Armed, request: Request, call: ToolCall, findings: tuple[Finding, ...], decision: Decision
) -> Generator[Step, Any, tuple[Decision, Lease | None]]:
    wanted = wanted_calls(armed.policy, call.tool)
    if not wanted and not armed.counts_calls:
        return decision, None
    try:
        reserved: Reserved = yield Reserve(request.session_id, wanted or ((CALLS, None),))
    except NotCounted as error:
        return refused("session", f"the session could not be counted: {error}", findings=findings), None
    if wanted:
        findings += limit_findings(armed.policy, call, wanted=wanted, taken=reserved.taken)
        decision = decision_of(findings, omitted=decision.omitted)
    return decision, reserved.lease


def _session_contracts(
    armed: Armed, request: Request, counts: Mapping[str, int]
) -> Generator[Step, Any, tuple[Finding, ...]]:
    per_tool = {name.partition(":")[2]: count for name, count in counts.items() if ":" in name}
    seen = SessionCounts(
        session_id=request.session_id,
        attempts=counts.get(ATTEMPTS, 0),
        executions=counts.get(CALLS, 0),
        per_tool=per_tool,
    )
    found: list[Finding] = []
    for rule in armed.session_contracts:
        found.append((yield from _ask_rule(rule, (seen,))))
        if found[-1].action:
            break
    return tuple(found)


def _hooks(armed: Armed, envelope: ToolEnvelope) -> Generator[Step, Any, tuple[Finding, ...]]:
    found: list[Finding] = []
    for hook in armed.hooks:
        item = Item(id=hook.name, kind="hook")
        try:
            if hook.phase != "before" or not hook.applies(envelope):
                continue
            said: HookDecision | None = yield Ask(hook.callback, (envelope,))
            denied = said is not None and not said.allowed
            reason = (said.reason or f"denied by hook `{hook.name}`") if said is not None and denied else ""
        except Exception as error:  # noqa: BLE001 a hook is the user's code: one that raises denies the call
            found.append(_broke(item, error, action="deny"))
            break
        if denied:
            found.append(
                Finding(item=item, outcome=Concluded.failed, score=0.0, code="denied", reason=reason, action="deny")
            )
            break
        found.append(Finding(item=item, outcome=Concluded.passed))
    return tuple(found)


def _conditions(
    armed: Armed, kind: Literal["precondition", "postcondition"], envelope: ToolEnvelope, arguments: tuple[Any, ...]
) -> Generator[Step, Any, tuple[Finding, ...]]:
    """The first precondition that fails ends it; postconditions are all asked."""
    found: list[Finding] = []
    for rule in armed.conditions:
        if rule.kind != kind:
            continue
        try:
            applies = rule.applies(envelope)
        except Exception as error:  # noqa: BLE001 the rule's own `when` is the user's code: one that raises counts as failing
            found.append(_broke(_item(rule), error, action=_action(rule)))
            applies = False
        if applies:
            found.append((yield from _ask_rule(rule, arguments)))
        if found and found[-1].action == "deny":
            break
    return tuple(found)


def _ask_rule(rule: PythonRule, arguments: tuple[Any, ...]) -> Generator[Step, Any, Finding]:
    try:
        said = yield Ask(rule.function, arguments)
        if not isinstance(said, Verdict):
            raise TypeError(f"it gave a {type(said).__name__}, not a Verdict")
    except NotCounted:
        raise
    except Exception as error:  # noqa: BLE001 a rule in Python is the user's code: one that raises counts as failing
        return _broke(_item(rule), error, action=_action(rule))
    item = _item(rule, said.metadata)
    if said.passed:
        return Finding(item=item, outcome=Concluded.passed)
    code, reason = ("denied", said.message) if _action(rule) == "deny" else ("warned", said.message)
    return Finding(
        item=item,
        outcome=Concluded.failed,
        score=0.0,
        code=code,
        reason=reason or f"`{rule.name}` failed",
        action=_action(rule),
    )


def _item(rule: PythonRule, metadata: Mapping[str, Any] | None = None) -> Item:
    return Item(id=rule.name, kind=rule.kind, data={"metadata": dict(metadata)} if metadata else {})


def _action(rule: PythonRule) -> Literal["deny", "warn"]:
    return "warn" if rule.kind == "postcondition" else "deny"


def _broke(item: Item, error: Exception, *, action: Literal["deny", "warn"]) -> Finding:
    reason = f"`{item.id}` could not be evaluated: {type(error).__name__}: {error}"
    return Finding(item=item, outcome=Concluded.error, score=0.0, code="policy_error", reason=reason, action=action)


def _execute(
    armed: Armed, request: Request, call: ToolCall, decision: Decision, lease: Lease | None
) -> Generator[Step, Any, Outcome]:
    """Runs the tool. Whatever ends it but success, cancellation included, gives its places back."""
    began = time.perf_counter()
    try:
        result = yield Execute(dict(call.args))
    except BaseException as error:
        if lease is not None:
            yield Settle(lease, False)
        if armed.reporter is not None:
            armed.reporter.failed(request, call, decision, error, (time.perf_counter() - began) * 1000)
        raise
    ms = (time.perf_counter() - began) * 1000
    if lease is not None:
        yield Settle(lease, True)
    if not armed.looks_after:
        if armed.reporter is not None:
            armed.reporter.executed(request, call, decision, (), result, ms)
        return Outcome(result=result, decision=decision)
    return (yield from _look_after(armed, request, call, decision, result, ms))


def _look_after(
    armed: Armed, request: Request, call: ToolCall, decision: Decision, result: Any, ms: float
) -> Generator[Step, Any, Outcome]:
    answered = msgspec.structs.replace(call, answer=Answer(text=answer_text(result), ms=ms))
    findings = after(armed.policy, answered)
    if armed.has_python:
        envelope = armed.envelope(request, call)
        findings += yield from _conditions(armed, "postcondition", envelope, (envelope, result))
        yield from _tell_hooks(armed, envelope, result)
    warnings = tuple(found for found in findings if found.action == "warn" and found.binding)
    if armed.reporter is not None:
        armed.reporter.executed(request, call, decision, findings, result, ms)
    given = given_to_caller(result, answered, warnings, armed.policy, armed.mark)
    if warnings and armed.on_warning is not None:
        yield from _warn(armed, request, warnings)
    return Outcome(result=given, decision=decision, warnings=warnings)


def _tell_hooks(armed: Armed, envelope: ToolEnvelope, result: Any) -> Generator[Step, Any, None]:
    for hook in armed.hooks:
        try:
            if hook.phase == "after" and hook.applies(envelope):
                yield Ask(hook.callback, (envelope, result))
        except Exception as error:  # noqa: BLE001 the tool has run: a hook that raises now is told, and changes nothing
            armed.complain(f"hook `{hook.name}` failed after `{envelope.tool_name}`", error)


def _warn(armed: Armed, request: Request, warnings: tuple[Finding, ...]) -> Generator[Step, Any, None]:
    assert armed.on_warning is not None, "the caller asked"
    for found in warnings:
        try:
            yield Ask(armed.on_warning, (request.tool, found))
        except Exception as error:  # noqa: BLE001 the tool has run: a listener that raises now is told, and changes nothing
            armed.complain("the listener for warnings failed", error)
