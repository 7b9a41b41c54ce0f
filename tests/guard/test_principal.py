"""Who asks: said with the call, known to the guard, or found out; never guessed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import HookRegistration, ToolEnvelope

from .bundles import Call, actions, echo, guard_of, last, limit, pre, watched

INTERNS = pre("interns", {"principal.role": {"equals": "intern"}})
LEVEL = pre("level", {"principal.claims.level": {"lt": 3}})


@pytest.mark.parametrize(
    ("who", "reason"),
    [
        (None, None),
        (Principal(), None),
        ({}, None),
        ({"role": None, "claims": None}, None),
        (Principal(role="lead"), None),
        (Principal(role="intern"), "interns says no"),
        ({"role": "intern"}, "interns says no"),
        (Principal(claims={"level": 2}), "level says no"),
        ({"claims": {"level": 2}}, "level says no"),
        ({"claims": {"level": {"deep": 1}}}, "the rule could not be evaluated"),
        ({"claims": {"level": None}}, None),
        (lambda tool, args: Principal(role="intern"), "interns says no"),
        (lambda tool, args: {"role": args["as"]}, "interns says no"),
        (lambda tool, args: None, None),
    ],
)
def test_rules_see_who_asks(call: Call, who: Any, reason: str | None) -> None:
    for options, about in (({}, {"principal": who}), ({"principal": who}, {})):
        guard = guard_of(INTERNS, LEVEL, **options)
        if reason is None:
            call(guard, "t", {"as": "intern"}, echo, **about)
        else:
            with pytest.raises(Denied, match=reason):
                call(guard, "t", {"as": "intern"}, echo, **about)


def test_who_is_said_with_the_call_counts_before_who_the_guard_knows(call: Call) -> None:
    guard = guard_of(INTERNS, principal={"role": "intern"})
    call(guard, "t", {}, echo, principal=Principal(role="lead"))
    with pytest.raises(Denied):
        call(guard, "t", {}, echo)


def boom(tool: str, args: Any) -> Any:
    raise LookupError("no directory")


@pytest.mark.parametrize(
    ("who", "why"),
    [
        (boom, "LookupError: no directory"),
        (lambda tool, args: 5, "this is int, not a principal"),
        ({"rol": "intern"}, "`rol` is not a field of a principal: did you mean `role`?"),
        ({"zzzzzz": "intern"}, "`zzzzzz` is not a field of a principal"),
        ({"role": 5}, "`role` is int, not text"),
        ({"claims": ["level"]}, "`claims` is list, not a mapping"),
        ({"claims": {"x": (each for each in "ab")}}, "holds a generator that can't be copied"),
        (Principal(claims={"x": (each for each in "ab")}), "holds a generator that can't be copied"),
        (lambda tool, args: {"role": b"intern"}, "`role` is bytes, not text"),
    ],
)
def test_who_can_t_be_told_is_denied(call: Call, who: Any, why: str) -> None:
    for options, about in (({}, {"principal": who}), ({"principal": who}, {})):
        guard, sink = watched(INTERNS, **options)
        with pytest.raises(Denied) as raised:
            call(guard, "t", {}, echo, **about)
        assert raised.value.reason.startswith("it can't be told who asks: ")
        assert why in raised.value.reason
        assert (raised.value.decision_source, last(sink).policy_error) == ("principal", True)
        assert actions(sink) == ["CALL_DENIED"]
        assert guard.evaluate("t", {}, **about).reason == raised.value.reason


@pytest.mark.parametrize(
    ("who", "why"),
    [
        (5, "this is int, not a principal"),
        ("kim", "this is str, not a principal"),
        (Principal, "this is the class `Principal`"),
    ],
    ids=["int", "str", "class"],
)
def test_a_call_by_what_is_no_principal_is_denied(call: Call, who: Any, why: str) -> None:
    with pytest.raises(Denied) as raised:
        call(guard_of(INTERNS), "t", {}, echo, principal=who)
    assert raised.value.reason == f"it can't be told who asks: {why}"


def test_who_can_t_be_told_made_an_attempt(call: Call) -> None:
    guard = guard_of(limit("l", max_attempts=1), principal=boom)
    with pytest.raises(Denied, match="who asks"):
        call(guard, "t", {}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)


def test_who_finds_out_gets_the_tool_and_a_copy_of_the_arguments(call: Call) -> None:
    seen: list[Any] = []

    def find(tool: str, args: Any) -> Principal:
        seen.append((tool, dict(args)))
        args["x"].append(1)
        return Principal(user_id="kim")

    guard = guard_of(INTERNS, principal=find)
    args: dict[str, Any] = {"x": []}
    assert call(guard, "t", args, lambda x: x).result == []
    assert [tool for tool, _ in seen] == ["t"]


def test_who_finds_out_may_take_its_time() -> None:
    async def find(tool: str, args: Any) -> dict[str, str]:
        await asyncio.sleep(0)
        return {"role": "intern"}

    with pytest.raises(Denied, match="interns says no"):
        asyncio.run(guard_of(INTERNS, principal=find).run("t", {}, echo))


def test_a_caller_that_changes_who_it_is_meanwhile_changes_nothing() -> None:
    async def main() -> None:
        who: dict[str, Any] = {"role": "intern", "claims": {"level": 2}}
        asked = asyncio.Event()
        go_on = asyncio.Event()

        async def hook(_: ToolEnvelope) -> None:
            asked.set()
            await go_on.wait()

        guard, sink = watched(INTERNS, LEVEL, hooks=[HookRegistration("before", "*", hook)])
        running = asyncio.create_task(guard.run("t", {}, echo, principal=who))
        await asked.wait()
        who["role"] = "lead"
        who["claims"]["level"] = 9
        go_on.set()
        with pytest.raises(Denied, match="interns says no"):
            await running
        assert last(sink).principal == {"role": "intern", "claims": {"level": 2}}

    asyncio.run(main())


def test_claims_are_recorded_without_secrets(call: Call) -> None:
    sink, key = MemorySink(), "ghp_" + "a1B2" * 9
    guard = Guard(audit_sink=sink, principal=Principal(user_id="kim", claims={"api_key": "x", "note": f"has {key}"}))
    call(guard, "t", {}, echo)
    assert sink.events[0].principal == {
        "user_id": "kim",
        "claims": {"api_key": "[redacted]", "note": "has [redacted]"},
    }
