"""What is recorded of a call, and that recording it never changes what becomes of it."""

from __future__ import annotations

import asyncio
import io
import logging
import re
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.errors import ConfigError
from bylaw.guard.audit import AuditEvent, FileSink, MemorySink, Redaction, SeveralSinks, StdoutSink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.python_rules import HookDecision, HookRegistration

from .bundles import ALWAYS, BROKEN, Call, X, actions, echo, guard_of, last, limit, post, pre, watched

KEY = "ghp_" + "a1B2" * 9


def test_an_allowed_call_is_told_before_and_after(call: Call) -> None:
    guard, sink = watched(
        pre("p", X, then={"tags": ["a", "b"], "metadata": {"id": "mine", "severity": "high"}}),
        environment="staging",
        tools={"t": {"side_effect": "write"}},
    )
    about: dict[str, Any] = {
        "session_id": "s",
        "call_id": "c",
        "parent_call_id": "parent",
        "principal": {"role": "r"},
    }
    call(guard, "t", {"x": 2}, echo, **about)
    allowed, executed = sink.events
    for event in sink.events:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", event.timestamp)
        assert (event.run_id, event.call_id, event.call_index, event.parent_call_id, event.session_id) == (
            guard.run_id,
            "c",
            0,
            "parent",
            "s",
        )
        assert (event.tool_name, event.tool_args, event.environment, event.mode) == (
            "t",
            {"x": 2},
            "staging",
            "enforce",
        )
        assert (event.side_effect, event.principal, event.policy_version, event.policy_error) == (
            "write",
            {"role": "r"},
            guard.policy_version,
            False,
        )
        (record,) = event.contracts_evaluated
        assert (record.id, record.type, record.passed, record.message, record.tags) == (
            "p",
            "pre",
            True,
            None,
            ("a", "b"),
        )
        assert record.metadata == {"id": "mine", "severity": "high"}
    assert (allowed.action, allowed.tool_success, allowed.duration_ms) == ("call_allowed", None, 0)
    assert (executed.action, executed.tool_success, executed.postconditions_passed, executed.result_summary) == (
        "call_executed",
        True,
        True,
        "echo",
    )
    assert executed.duration_ms > 0


def test_a_denied_call_is_told_once_with_who_decided(call: Call) -> None:
    guard, sink = watched(pre("p", X, then={"message": "not {args.x}", "metadata": {"runbook": "R1"}}))
    with pytest.raises(Denied) as raised:
        call(guard, "t", {"x": 1}, echo)
    (event,) = sink.events
    assert (event.action, event.decision_source, event.decision_name, event.reason) == (
        "call_denied",
        "yaml_precondition",
        "p",
        "not 1",
    )
    assert event.contracts_evaluated[0].message == "not 1"
    assert event.contracts_evaluated[0].metadata == {"runbook": "R1"}
    assert raised.value.decision is not None
    assert raised.value.decision.metadata == {"runbook": "R1"}


def test_a_warning_is_told_beside_the_call_that_ran(call: Call) -> None:
    guard, sink = watched(post("a", ALWAYS, then={"tags": ["pii"]}), post("b", X), post("c", ALWAYS))
    outcome = call(guard, "t", {}, echo)
    assert [found.item.id for found in outcome.warnings] == ["a", "c"]
    assert actions(sink) == ["CALL_ALLOWED", "CALL_EXECUTED", "POSTCONDITION_WARNING", "POSTCONDITION_WARNING"]
    executed, first, second = sink.events[1:]
    assert executed.postconditions_passed is first.postconditions_passed is False
    assert [(event.decision_source, event.decision_name, event.reason) for event in (first, second)] == [
        ("yaml_postcondition", "a", "a warns"),
        ("yaml_postcondition", "c", "c warns"),
    ]
    for event in (executed, first, second):
        assert [(each.id, each.passed, each.tags) for each in event.contracts_evaluated] == [
            ("a", False, ("pii",)),
            ("b", True, ()),
            ("c", False, ()),
        ]


def test_calls_are_numbered_and_named(call: Call) -> None:
    guard, sink = watched(pre("p", X))
    for _ in range(3):
        call(guard, "t", {}, echo)
    allowed = [event for event in sink.events if event.action == "call_allowed"]
    assert [event.call_index for event in allowed] == [0, 1, 2]
    assert len({event.call_id for event in allowed}) == 3
    assert {event.session_id for event in allowed} == {guard.run_id}


def test_a_mistake_of_a_rule_is_told(call: Call) -> None:
    guard, sink = watched(pre("p", BROKEN), post("w", BROKEN))
    with pytest.raises(Denied):
        call(guard, "t", {"x": 1}, echo)
    assert last(sink).policy_error
    assert last(sink).contracts_evaluated[0].policy_error
    call(guard_of(post("w", BROKEN), audit_sink=sink), "t", {"x": 1}, echo)
    assert [event.policy_error for event in sink.events[-3:]] == [False, True, True]


def test_secrets_are_taken_out_everywhere(call: Call) -> None:
    rules = (
        pre("p", {"args.token": {"equals": KEY}}, then={"message": "no {args.token} for {principal.claims.note}"}),
        post("w", ALWAYS, then={"message": "{output.text}"}),
    )
    sink, who = MemorySink(), {"user_id": "kim", "claims": {"note": KEY}}

    def fails(**_: Any) -> None:
        raise ValueError(f"bad {KEY}")

    guard = guard_of(*rules, audit_sink=sink, redaction=Redaction(more_keys=frozenset({"colour"})))
    with pytest.raises(Denied, match=KEY):
        call(guard, "t", {"token": KEY}, echo, principal=who)
    call(guard, "t", {"password": "hunter2", "text": f"see {KEY}", "colour": "blue"}, lambda **_: f"has {KEY}")
    with pytest.raises(ValueError, match=KEY):
        call(guard, "t", {}, fails)
    assert KEY not in str(sink.events)
    denied, allowed = sink.events[:2]
    assert denied.reason == "no [redacted] for [redacted]"
    assert allowed.tool_args == {"password": "[redacted]", "text": "see [redacted]", "colour": "[redacted]"}
    assert allowed.redacted == ("password", "text", "colour")
    assert sink.events[2].result_summary == "has [redacted]"
    assert last(sink).error == "ValueError: bad [redacted]"


def test_what_is_long_is_cut_and_not_dropped(call: Call) -> None:
    guard, sink = watched(pre("p", X))
    call(guard, "t", {"text": "a" * 100_000}, lambda text: text)
    executed = last(sink)
    assert executed.tool_args["text"].endswith("… [cut: 100000 characters]")
    assert executed.result_summary == "a" * 500 + "… [cut: 100000 characters]"


class Broken:
    """A sink that raises as often as it is told to."""

    def __init__(self, times: int = 1_000, error: BaseException | None = None) -> None:
        self.times = times
        self.error = error or OSError("disk full")
        self.events: list[AuditEvent] = []

    def emit(self, event: AuditEvent, /) -> None:
        if self.times:
            self.times -= 1
            raise self.error
        self.events.append(event)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        raise OSError("disk full")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("not even that")


@pytest.mark.parametrize("error", [OSError("disk full"), Unspeakable()])
def test_a_sink_that_raises_changes_no_decision_and_is_told_once(
    call: Call, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    guard = guard_of(pre("p", X), pre("o", ALWAYS, mode="observe"), post("w", ALWAYS), audit_sink=Broken(error=error))
    for _ in range(3):
        assert call(guard, "t", {}, echo).result == "echo"
        with pytest.raises(Denied, match="p says no"):
            call(guard, "t", {"x": 1}, echo)

    def fails() -> None:
        raise ValueError("the tool's own")

    with pytest.raises(ValueError, match="the tool's own"):
        call(guard, "t", {}, fails)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.messages[0].startswith("the audit could not be written: ")


def test_a_sink_that_works_again_and_fails_again_is_told_again(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    sink = Broken(times=1)
    guard = guard_of(pre("p", X), audit_sink=sink)
    call(guard, "t", {}, echo)
    assert [event.action for event in sink.events] == ["call_executed"]
    sink.times = 1
    call(guard, "t", {}, echo)
    assert len(caplog.messages) == 2


def test_strict_a_call_that_can_t_be_recorded_is_denied_and_gives_its_place_back(call: Call) -> None:
    sink = Broken(times=1)
    guard = guard_of(limit("l", max_tool_calls=1), audit_sink=sink, strict_audit=True)
    ran: list[int] = []
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, lambda: ran.append(1))
    assert raised.value.reason == "the audit could not be written, and this guard must not act unrecorded"
    assert (raised.value.decision_source, ran) == ("audit", [])
    assert [(event.action, event.decision_source) for event in sink.events] == [("call_denied", "audit")]
    call(guard, "t", {}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)


def test_strict_a_sink_beside_the_one_that_fails_hears_of_the_denial(call: Call) -> None:
    good = MemorySink()
    guard = guard_of(pre("p", X), audit_sink=SeveralSinks(good, Broken()), strict_audit=True)
    with pytest.raises(Denied, match="unrecorded"):
        call(guard, "t", {}, echo)
    assert actions(good) == ["CALL_ALLOWED", "CALL_DENIED"]
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", {"x": 1}, echo)


def test_strict_an_observed_rule_that_can_t_be_told_denies(call: Call) -> None:
    sink = Broken(times=1)
    guard = guard_of(pre("o", ALWAYS, mode="observe"), audit_sink=sink, strict_audit=True)
    with pytest.raises(Denied, match="unrecorded"):
        call(guard, "t", {}, echo)


def test_strict_a_tool_that_ran_keeps_its_result(call: Call) -> None:
    class Later(Broken):
        def emit(self, event: AuditEvent, /) -> None:
            if event.action != "call_allowed":
                super().emit(event)

    guard = guard_of(pre("p", X), audit_sink=Later(), strict_audit=True)
    assert call(guard, "t", {}, echo).result == "echo"


def test_strict_without_a_sink_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="there is no `audit_sink`"):
        Guard(strict_audit=True)


def test_a_sink_that_is_interrupted_gives_the_place_back(call: Call) -> None:
    sink = Broken(times=1, error=KeyboardInterrupt())
    guard = guard_of(limit("l", max_tool_calls=1), audit_sink=sink)
    with pytest.raises(KeyboardInterrupt):
        call(guard, "t", {}, echo)
    assert call(guard, "t", {}, echo).result == "echo"


class Slow:
    """A sink that holds up the first event until it is let go."""

    def __init__(self) -> None:
        self.let_go, self.held = threading.Event(), threading.Event()
        self.sink = MemorySink()

    def emit(self, event: AuditEvent, /) -> None:
        if event.session_id == "slow" and not self.held.is_set():
            self.held.set()
            self.let_go.wait()
        self.sink.emit(event)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


def test_a_sink_that_blocks_holds_up_its_own_call_and_changes_nothing() -> None:
    sink = Slow()
    guard = guard_of(pre("p", X), audit_sink=sink)
    results: list[Any] = []

    def agent() -> None:
        results.append(guard.run_sync("t", {}, echo, session_id="slow"))

    thread = threading.Thread(target=agent)
    thread.start()
    sink.held.wait()
    assert guard.run_sync("t", {}, echo, session_id="other") == "echo"
    with pytest.raises(Denied):
        guard.run_sync("t", {"x": 1}, echo, session_id="other")
    assert results == []
    sink.let_go.set()
    thread.join()
    assert results == ["echo"]


def test_closing_a_guard_closes_its_sink_and_its_sessions() -> None:
    guard = guard_of(limit("l", max_attempts=5), audit_sink=Broken())
    with pytest.raises(OSError, match="disk full"):
        guard.close()
    with pytest.raises(Denied, match="this session can't be counted now"):
        guard.run_sync("t", {}, echo)
    Guard().close()


def test_the_file_holds_what_memory_does(tmp_path: Path, call: Call) -> None:
    memory, file = MemorySink(), FileSink(tmp_path / "audit.jsonl")
    guard = guard_of(pre("p", X), post("w", ALWAYS), audit_sink=SeveralSinks(memory, file))
    call(guard, "t", {"x": 2, "odd": {1, 2}}, echo)
    with pytest.raises(Denied):
        call(guard, "t", {"x": 1}, echo)
    guard.close()
    lines = [msgspec.json.decode(line) for line in (tmp_path / "audit.jsonl").read_bytes().splitlines()]
    events = [line for line in lines if "action" in line]
    assert [event["action"] for event in events] == [event.action for event in memory.events]
    assert events[-1]["reason"] == "p says no"


def test_stdout_holds_a_line_for_each_event(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    call(guard_of(pre("p", X), audit_sink=StdoutSink()), "t", {}, echo)
    out = sys.stdout
    assert isinstance(out, io.StringIO)
    assert [msgspec.json.decode(line)["action"] for line in out.getvalue().splitlines()] == [
        "call_allowed",
        "call_executed",
    ]


def test_hooks_are_listed_apart(call: Call) -> None:
    def look(_: Any) -> HookDecision:
        return HookDecision.allow()

    guard, sink = watched(pre("p", X), hooks=[HookRegistration("before", "*", look)])
    call(guard, "t", {}, echo)
    for event in sink.events:
        assert [(hook.name, hook.passed) for hook in event.hooks_evaluated] == [("look", True)]
        assert [each.id for each in event.contracts_evaluated] == ["p"]


@pytest.mark.parametrize("about", [None, "write", {"side_effect": 5}])
def test_what_is_said_of_tools_must_be_a_mapping(about: Any) -> None:
    with pytest.raises(ConfigError, match="what is said of tool `t` must be a mapping with a `side_effect`"):
        Guard(tools={"t": about})
    Guard(tools={"t": {}, "u": {"side_effect": None}})


def test_calls_at_once_are_recorded_each_with_its_own() -> None:
    guard, sink = watched(pre("p", X))

    async def main() -> None:
        async def tool(n: int) -> int:
            for _ in range(n % 5):
                await asyncio.sleep(0)
            return n

        await asyncio.gather(*[guard.run("t", {"n": number}, tool, call_id=f"c{number}") for number in range(50)])

    asyncio.run(main())
    by_call: dict[str, list[AuditEvent]] = {}
    for event in sink.events:
        by_call.setdefault(event.call_id, []).append(event)
    for number in range(50):
        allowed, executed = by_call[f"c{number}"]
        assert (allowed.action, executed.action) == ("call_allowed", "call_executed")
        assert (executed.tool_args, executed.result_summary) == ({"n": number}, str(number))
