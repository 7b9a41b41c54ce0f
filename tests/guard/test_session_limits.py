"""So many attempts and calls in a session and no more, however many ask at once and whatever counts them."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.python_rules import SessionCounts, Verdict, session_contract
from bylaw.guard.sessions import BackendGone, MemorySessions, Reserved
from bylaw.policy.ledger import Taken

from .bundles import Call, X, actions, bundle, echo, guard_of, last, limit, pre, watched


def allowed(call: Call, guard: Guard, tools: str, **about: Any) -> str:
    """The tools that ran, one letter each; a dot for a denial."""
    ran = ""
    for tool in tools:
        try:
            call(guard, tool, {}, echo, **about)
        except Denied:
            ran += "."
        else:
            ran += tool
    return ran


@pytest.mark.parametrize(
    ("limits", "asked", "ran"),
    [
        ({"max_tool_calls": 2}, "tut", "tu."),
        ({"max_tool_calls": 0}, "tt", ".."),
        ({"max_attempts": 2}, "tut", "tu."),
        ({"max_calls_per_tool": {"t": 1, "v": 0}}, "tutuv", "tu.u."),
        ({"max_tool_calls": 3, "max_calls_per_tool": {"t": 1}}, "ttuuu", "t.uu."),
        ({"max_tool_calls": 1, "max_attempts": 3}, "tttt", "t..."),
    ],
)
def test_so_many_and_no_more(call: Call, limits: dict[str, Any], asked: str, ran: str) -> None:
    assert allowed(call, guard_of(limit("l", **limits)), asked) == ran


def test_there_are_no_limits_that_nobody_wrote(call: Call) -> None:
    guard = guard_of(pre("p", X))
    assert allowed(call, guard, "t" * 300) == "t" * 300
    assert guard.sessions.counts(guard.run_id) == {}


def test_a_denial_says_what_the_contract_says(call: Call) -> None:
    said = {"message": "{tool.name} in {environment}: enough", "tags": ["rate"], "metadata": {"ask": "ops"}}
    guard, sink = watched(limit("l", max_tool_calls=0, then=said))
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, echo)
    denied = raised.value
    assert (denied.reason, denied.decision_source, denied.decision_name) == (
        "t in production: enough",
        "yaml_session",
        "l",
    )
    assert denied.decision is not None
    assert denied.decision.metadata == {"ask": "ops"}
    (record,) = last(sink).contracts_evaluated
    assert (record.id, record.type, record.tags, record.metadata) == ("l", "session", ("rate",), {"ask": "ops"})
    assert last(sink).policy_error is False


def test_each_session_has_its_own_counts_and_the_guard_is_one_itself(call: Call) -> None:
    guard = guard_of(limit("l", max_tool_calls=1))
    assert allowed(call, guard, "tt", session_id="a") == "t."
    assert allowed(call, guard, "tt", session_id="b") == "t."
    assert allowed(call, guard, "tt") == "t."
    assert allowed(call, guard, "t", session_id=guard.run_id) == "."
    guard.sessions.forget("a")
    assert allowed(call, guard, "tt", session_id="a") == "t."


def test_guards_that_share_a_backend_share_sessions(call: Call) -> None:
    backend = MemorySessions()
    first, second = (guard_of(limit("l", max_tool_calls=1), backend=backend) for _ in range(2))
    assert allowed(call, first, "t", session_id="s") + allowed(call, second, "t", session_id="s") == "t."


def test_the_counts_are_in_the_record(call: Call) -> None:
    guard, sink = watched(pre("p", X), limit("l", max_attempts=9, max_tool_calls=2))

    def count(action: str) -> list[tuple[int, int]]:
        found = [event for event in sink.events if event.action == action]
        return [(event.session_attempt_count, event.session_execution_count) for event in found]

    def fails() -> None:
        raise ValueError("no")

    call(guard, "t", {}, echo)
    with pytest.raises(Denied):
        call(guard, "t", {"x": 1}, echo)
    with pytest.raises(ValueError, match="no"):
        call(guard, "t", {}, fails)
    call(guard, "t", {}, echo)
    with pytest.raises(Denied):
        call(guard, "t", {}, echo)
    assert count("call_allowed") == [(1, 0), (3, 1), (4, 1)]
    assert count("call_executed") == [(1, 1), (4, 2)]
    assert count("call_failed") == [(3, 1)]
    assert count("call_denied") == [(2, 0), (5, 2)]


def test_a_contract_with_several_limits_is_listed_once(call: Call) -> None:
    guard, sink = watched(limit("l", max_attempts=9, max_tool_calls=1, max_calls_per_tool={"t": 5}), pre("p", X))
    call(guard, "t", {}, echo)
    with pytest.raises(Denied):
        call(guard, "t", {}, echo)
    assert [(each.id, each.passed) for each in sink.events[0].contracts_evaluated] == [("l", True), ("p", True)]
    assert [(each.id, each.passed) for each in last(sink).contracts_evaluated] == [("l", False), ("p", True)]


def test_a_full_memory_denies_new_sessions_and_says_what_to_do(call: Call) -> None:
    sink = MemorySink()
    guard = guard_of(limit("l", max_attempts=5), backend=MemorySessions(capacity=1), audit_sink=sink)
    assert allowed(call, guard, "t", session_id="first") == "t"
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, echo, session_id="second")
    assert raised.value.reason == "this session can't be counted now"
    assert last(sink).reason == (
        "this session can't be counted now: SessionsFull: there is no room for session `second`: all 1 are taken;"
        " forget the sessions that have ended, or allow more"
    )
    assert (raised.value.decision_source, raised.value.decision_name) == ("yaml_session", "l")
    assert (actions(sink)[-1], last(sink).policy_error) == ("CALL_DENIED", True)
    assert allowed(call, guard, "t", session_id="first") == "t"


class Flaky(MemorySessions):
    """Counts, or raises what it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: dict[str, Exception] = {}

    def _raise(self, what: str) -> None:
        if what in self.errors:
            raise self.errors[what]

    def take(self, session_id: str, wanted: Any, /) -> Taken:
        self._raise("take")
        return super().take(session_id, wanted)

    def reserve(self, session_id: str, wanted: Any, /) -> Reserved:
        self._raise("reserve")
        return super().reserve(session_id, wanted)

    def counts(self, session_id: str, /) -> Mapping[str, int]:
        self._raise("counts")
        return super().counts(session_id)


@pytest.mark.parametrize("error", [BackendGone("no answer"), ConnectionError("no answer"), RuntimeError("no answer")])
@pytest.mark.parametrize(
    ("step", "limits"), [("take", {"max_attempts": 5}), ("reserve", {"max_tool_calls": 5, "max_attempts": 5})]
)
def test_a_backend_that_is_gone_denies_with_an_error_and_recovers(
    call: Call, error: Exception, step: str, limits: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    backend, sink = Flaky(), MemorySink()
    guard = guard_of(pre("p", X), limit("l", **limits), backend=backend, audit_sink=sink)
    backend.errors[step] = error
    ran: list[int] = []
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, lambda: ran.append(1))
    assert raised.value.reason == "this session can't be counted now"
    assert last(sink).reason == f"this session can't be counted now: {type(error).__name__}: no answer"
    assert last(sink).reason in [each.message for each in last(sink).contracts_evaluated]
    assert f"could not be counted: {type(error).__name__}: no answer" in caplog.text
    assert (raised.value.decision_source, raised.value.decision_name) == ("yaml_session", "l")
    assert (actions(sink), last(sink).policy_error, ran) == (["CALL_DENIED"], True, [])
    backend.errors.clear()
    assert allowed(call, guard, "t") == "t"


def test_a_backend_that_is_gone_stops_nothing_that_is_only_observed(call: Call) -> None:
    backend, sink = Flaky(), MemorySink()
    guard = guard_of(limit("l", mode="observe", max_attempts=1, max_tool_calls=1), backend=backend, audit_sink=sink)
    backend.errors = {"take": BackendGone("no answer"), "reserve": BackendGone("no answer")}
    assert allowed(call, guard, "tt") == "tt"
    assert actions(sink) == ["CALL_WOULD_DENY", "CALL_ALLOWED", "CALL_EXECUTED"] * 2
    assert (sink.events[0].decision_name, sink.events[0].policy_error) == ("l", True)


@pytest.mark.parametrize("step", ["take", "counts", "reserve"])
def test_a_session_contract_whose_session_can_t_be_counted_denies(call: Call, step: str) -> None:
    backend, asked = Flaky(), []

    @session_contract
    def note(counts: SessionCounts) -> Verdict:
        asked.append(counts)
        return Verdict.pass_()

    guard = Guard(contracts=[note, session_contract(note.function)], backend=backend)
    backend.errors[step] = BackendGone("no answer")
    with pytest.raises(Denied, match="this session can't be counted now") as raised:
        call(guard, "t", {}, echo)
    assert (raised.value.decision_source, raised.value.decision_name) == ("session_contract", "note")
    assert len(asked) == (2 if step == "reserve" else 0)


class Stubborn(MemorySessions):
    """Holds places that nobody can settle."""

    def reserve(self, session_id: str, wanted: Any, /) -> Reserved:
        return Reserved(taken=super().reserve(session_id, wanted).taken, lease=_Unsettled())


class _Unsettled:
    def keep(self) -> bool:
        raise ConnectionError("lost")

    def give_back(self) -> bool:
        raise ConnectionError("lost")

    async def keep_async(self) -> bool:
        return self.keep()

    async def give_back_async(self) -> bool:
        return self.give_back()


def test_a_backend_of_one_s_own_that_fails_after_the_tool_ran_is_told_and_takes_nothing_away(
    call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> None:
        raise ValueError("no")

    guard = guard_of(limit("l", max_tool_calls=5), backend=Stubborn())
    assert call(guard, "t", {}, echo).result == "echo"
    with pytest.raises(ValueError, match="no"):
        call(guard, "t", {}, fails)
    assert caplog.text.count("a call's places in its session could not be settled: ConnectionError: lost") == 2


@contextmanager
def switching_often() -> Iterator[None]:
    """Threads take turns as often as they can, so that what is not atomic comes apart."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def test_threads_at_once_never_exceed_a_limit() -> None:
    guard = guard_of(limit("l", max_tool_calls=20, max_calls_per_tool={"t": 8}, max_attempts=90))
    inside = most = 0
    ran: list[int] = []
    lock, together = threading.Lock(), threading.Barrier(8)

    def tool(fail: bool) -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside + len(ran))
        with lock:
            inside -= 1
            if not fail:
                ran.append(1)
        if fail:
            raise ValueError("no")

    tried: list[str] = []

    def agent(number: int) -> None:
        together.wait()
        for turn in range(15):
            try:
                guard.run_sync("tu"[turn % 2], {"fail": (turn + number) % 3 == 0}, tool)
            except ValueError:
                tried.append("failed")
            except Denied:
                tried.append("denied")
            else:
                tried.append("ran")

    threads = [threading.Thread(target=agent, args=(number,)) for number in range(8)]
    with switching_often():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    counts = guard.sessions.counts(guard.run_id)
    assert tried.count("ran") == len(ran) == counts["calls"] <= 20
    assert most <= 20
    assert counts["calls:t"] <= 8
    assert counts["attempts"] == 90
    assert len(tried) == 120


def test_tasks_at_once_never_exceed_a_limit() -> None:
    async def main() -> None:
        guard = guard_of(limit("l", max_tool_calls=5))
        inside = most = 0
        ran: list[int] = []

        async def tool(turns: int) -> None:
            nonlocal inside, most
            inside += 1
            most = max(most, inside + len(ran))
            for _ in range(turns):
                await asyncio.sleep(0)
            inside -= 1
            if turns % 4 == 0:
                raise ValueError("no")
            ran.append(turns)

        calls = [guard.run("t", {"turns": number % 7}, tool) for number in range(60)]
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert len(ran) == guard.sessions.counts(guard.run_id)["calls"] <= 5
        assert most <= 5
        assert sum(isinstance(each, Denied) for each in done) > 0
        assert await guard.run("t", {"turns": 1}, tool) is None if len(ran) < 5 else True

    asyncio.run(main())


def test_threads_and_tasks_of_one_session_count_together() -> None:
    guard = Guard.from_text(bundle(limit("l", max_attempts=100, max_tool_calls=30)))
    ran: list[int] = []

    def agent() -> None:
        async def main() -> None:
            await asyncio.gather(
                *[guard.run("t", {}, lambda: ran.append(1)) for _ in range(20)], return_exceptions=True
            )

        asyncio.run(main())

    threads = [threading.Thread(target=agent) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 30
