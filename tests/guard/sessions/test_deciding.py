"""Deciding a call on a session's counters: in one go, and step by step with room for I/O between the steps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from bylaw.evidence import ToolCall
from bylaw.guard.sessions import SessionLedger, Sessions
from bylaw.policy import Limit, Policy, before, decide, make_limit, make_policy, make_rule
from bylaw.policy.deciding import limit_findings, wanted_attempts, wanted_calls
from bylaw.policy.ledger import Taken
from bylaw.policy.rules import ATTEMPTS, CALLS, calls_of
from bylaw.verdict import Finding, Item

SEND = ToolCall(tool="send")
READ = ToolCall(tool="read")
FORBIDDEN = ToolCall(tool="drop_tables")

Call = Callable[[ToolCall, bool], list[str]]


def limit(counter: str, most: int, *, binding: bool = True) -> Limit:
    name = f"{counter} at most {most}"
    item = Item(id=name, kind="session", binding=binding)
    return make_limit(item=item, counter=counter, most=most, message=lambda _: name)


def policy(*limits: Limit) -> Policy:
    never = make_rule(
        item=Item(id="never", kind="pre"),
        tools=(FORBIDDEN.tool,),
        condition=lambda _: True,
        message=lambda _: "never",
        action="deny",
    )
    return make_policy(version="1", before=[never], after=[], limits=limits)


def over(findings: Sequence[Finding]) -> list[str]:
    """What denies, and in brackets what only observes."""
    fired = [found.item for found in findings if found.action == "deny"]
    return [item.id if item.binding else f"({item.id})" for item in fired]


def denied(findings: Sequence[Finding]) -> bool:
    return any(found.action == "deny" and found.binding for found in findings)


def in_one_go(of: Policy, sessions: Sessions, session_id: str) -> Call:
    def run(call: ToolCall, succeeds: bool) -> list[str]:
        ledger = SessionLedger(sessions, session_id)
        findings = decide(of, call, ledger=ledger)
        if ledger.lease is not None:
            assert ledger.lease.keep() if succeeds else ledger.lease.give_back()
        return over(findings)

    return run


def in_steps(of: Policy, sessions: Sessions, session_id: str) -> Call:
    async def steps(call: ToolCall, succeeds: bool) -> list[str]:
        findings: list[Finding] = []
        lease = None
        if wanted := wanted_attempts(of):
            taken = await sessions.take_async(session_id, wanted)
            findings += limit_findings(of, call, wanted=wanted, taken=taken)
        if not denied(findings):
            findings += before(of, call)
        if not denied(findings) and (wanted := wanted_calls(of, call.tool)):
            reserved = await sessions.reserve_async(session_id, wanted)
            findings += limit_findings(of, call, wanted=wanted, taken=reserved.taken)
            lease = reserved.lease
        if lease is not None:
            assert await (lease.keep_async() if succeeds else lease.give_back_async())
        return over(findings)

    return lambda call, succeeds: asyncio.run(steps(call, succeeds))


Road = Callable[[Policy, Sessions, str], Call]


@pytest.fixture(params=[in_one_go, in_steps], ids=["in one go", "in steps"])
def road(request: pytest.FixtureRequest) -> Road:
    through: Road = request.param
    return through


def test_attempts_count_what_is_denied_too(sessions: Sessions, session_id: str, road: Road) -> None:
    call = road(policy(limit(ATTEMPTS, 2)), sessions, session_id)
    assert call(FORBIDDEN, True) == ["never"]
    assert call(READ, True) == []
    assert call(READ, True) == ["attempts at most 2"]
    assert sessions.counts(session_id) == {ATTEMPTS: 2}


def test_only_what_succeeded_uses_up_calls(sessions: Sessions, session_id: str, road: Road) -> None:
    call = road(policy(limit(CALLS, 1)), sessions, session_id)
    assert [call(READ, False), call(FORBIDDEN, True), call(READ, False), call(READ, True)] == [[], ["never"], [], []]
    assert call(SEND, True) == ["calls at most 1"]
    assert sessions.counts(session_id)[CALLS] == 1


def test_a_tool_has_a_limit_of_its_own(sessions: Sessions, session_id: str, road: Road) -> None:
    call = road(policy(limit(CALLS, 3), limit(calls_of("send"), 1)), sessions, session_id)
    assert call(SEND, True) == []
    assert call(SEND, True) == ["calls:send at most 1"]
    assert [call(READ, True), call(READ, True)] == [[], []]
    assert call(SEND, True) == ["calls at most 3", "calls:send at most 1"]


def test_what_only_observes_holds_nobody(sessions: Sessions, session_id: str, road: Road) -> None:
    call = road(policy(limit(CALLS, 1, binding=False), limit(CALLS, 2)), sessions, session_id)
    assert call(READ, True) == []
    assert call(READ, True) == ["(calls at most 1)"]
    assert call(READ, True) == ["(calls at most 1)", "calls at most 2"]


def test_without_limits_nothing_is_taken(sessions: Sessions, session_id: str, road: Road) -> None:
    assert road(policy(), sessions, session_id)(READ, True) == []
    assert sessions.counts(session_id) == {}


def test_what_is_wanted_is_held_to_the_smallest_limit_that_binds() -> None:
    of = policy(limit(CALLS, 9), limit(CALLS, 5), limit(CALLS, 1, binding=False), limit(calls_of("send"), 2))
    assert wanted_attempts(of) == ()
    assert wanted_calls(of, "send") == ((CALLS, 5), (calls_of("send"), 2))
    assert wanted_calls(of, "read") == ((CALLS, 5), (calls_of("read"), None))
    assert wanted_calls(policy(limit(calls_of("send"), 2)), "read") == ()


def test_a_ledger_gives_back_what_its_call_holds(sessions: Sessions, session_id: str) -> None:
    ledger = SessionLedger(sessions, session_id)
    ledger.give_back([CALLS])
    assert ledger.take([(ATTEMPTS, 1)]) == Taken(counts=(1,))
    assert ledger.lease is None
    assert ledger.take([(CALLS, 1), (calls_of("send"), None)]) == Taken(counts=(1, 1))
    ledger.give_back([ATTEMPTS])
    assert sessions.counts(session_id)[CALLS] == 1
    ledger.give_back([CALLS, calls_of("send")])
    assert sessions.counts(session_id) == {ATTEMPTS: 1, CALLS: 0, calls_of("send"): 0}
