"""Hooks and contracts written in Python: what they see, what they say, and what becomes of one that raises."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import pytest

from bylaw.errors import ConfigError
from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import (
    HookDecision,
    HookRegistration,
    SessionCounts,
    ToolEnvelope,
    Verdict,
    postcondition,
    precondition,
    session_contract,
)

from .bundles import ALWAYS, BROKEN, Call, X, actions, echo, guard_of, last, limit, post, pre, watched


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("not even that")


def boom(*_: Any) -> Any:
    raise LookupError("gone")


def unspeakable(*_: Any) -> Any:
    raise Unspeakable


async def later(*_: Any) -> Any:
    raise LookupError("gone later")


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (boom, "LookupError: gone"),
        (unspeakable, "Unspeakable: <Unspeakable that can't be shown: ValueError>"),
        (lambda *_: "yes", "TypeError: it gave a str, not a "),
        (lambda *_: True, "TypeError: it gave a bool, not a "),
    ],
)
@pytest.mark.parametrize("kind", ["hook", "precondition", "session_contract"])
def test_one_that_raises_denies_and_ends_the_evaluation(call: Call, kind: str, function: Any, why: str) -> None:
    asked: list[str] = []

    @precondition("*")
    def never(_: ToolEnvelope) -> Verdict:
        asked.append("never")
        return Verdict.pass_()

    rules: list[Any] = [never]
    hooks = []
    if kind == "hook":
        hooks = [HookRegistration("before", "*", function), HookRegistration("before", "*", never.function)]  # type: ignore[arg-type]  # it is never asked
    elif kind == "precondition":
        rules = [precondition("*")(function), never]
    else:
        rules = [session_contract(function), never]
    guard, sink = watched(pre("p", X), contracts=rules, hooks=hooks)
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, echo)
    assert raised.value.decision_source == kind
    assert raised.value.reason.startswith(f"`{raised.value.decision_name}` could not be evaluated: {why}")
    assert asked == []
    assert (actions(sink), last(sink).policy_error) == (["CALL_DENIED"], True)
    assert last(sink).reason == raised.value.reason


def test_a_postcondition_that_raises_warns_and_the_others_go_on(call: Call) -> None:
    @postcondition("*")
    def second(envelope: ToolEnvelope, result: Any) -> Verdict:
        return Verdict.fail(f"{result} again", count=2)

    guard, sink = watched(post("w", BROKEN), contracts=[postcondition("*")(boom), second])
    outcome = call(guard, "t", {"x": 1}, echo)
    assert outcome.result == "echo"
    assert [(found.item.id, found.code) for found in outcome.warnings] == [
        ("w", "policy_error"),
        ("boom", "policy_error"),
        ("second", "warned"),
    ]
    assert outcome.warnings[2].reason == "echo again"
    executed = sink.events[1]
    assert (executed.action, executed.policy_error, executed.postconditions_passed) == ("call_executed", True, False)
    warnings = [event for event in sink.events if event.action == "postcondition_warning"]
    assert [(event.decision_source, event.decision_name, event.policy_error) for event in warnings] == [
        ("yaml_postcondition", "w", True),
        ("postcondition", "boom", True),
        ("postcondition", "second", False),
    ]
    assert executed.contracts_evaluated[-1].metadata == {"count": 2}


def test_a_hook_that_denies_says_why_and_one_that_says_nothing_allows(call: Call) -> None:
    def quiet(_: ToolEnvelope) -> None:
        return None

    def stern(_: ToolEnvelope) -> HookDecision:
        return HookDecision.deny("on holiday")

    def silent(_: ToolEnvelope) -> HookDecision:
        return HookDecision(False)

    hooks = [HookRegistration("before", "*", quiet), HookRegistration("before", "t", stern)]
    guard, sink = watched(pre("p", X), hooks=hooks)
    with pytest.raises(Denied, match="on holiday"):
        call(guard, "t", {}, echo)
    assert [(each.name, each.passed, each.message) for each in last(sink).hooks_evaluated] == [
        ("quiet", True, None),
        ("stern", False, "on holiday"),
    ]
    assert call(guard, "other", {}, echo).result == "echo"
    with pytest.raises(Denied, match="denied by hook `silent`"):
        call(Guard(hooks=[HookRegistration("before", "*", silent)]), "t", {}, echo)


def test_a_hook_after_the_call_is_told_and_changes_nothing(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    told: list[Any] = []

    def note(envelope: ToolEnvelope, result: Any) -> None:
        told.append((envelope.tool_name, result))

    hooks = [HookRegistration("after", "*", boom), HookRegistration("after", "*", note)]
    assert call(Guard(hooks=hooks), "t", {}, echo).result == "echo"
    assert told == [("t", "echo")]
    assert "hook `boom` failed after `t`: LookupError: gone" in caplog.text


def test_they_are_for_their_tool_and_where_their_when_holds(call: Call) -> None:
    asked: list[str] = []

    @precondition("t", when=lambda envelope: envelope.args["x"] > 1)
    def only(envelope: ToolEnvelope) -> Verdict:
        asked.append(envelope.tool_name)
        return Verdict.pass_()

    hook = HookRegistration("before", "u", lambda envelope: asked.append(f"hook {envelope.tool_name}"))
    guard = Guard(contracts=[only], hooks=[hook])
    for tool, x in [("t", 1), ("t", 2), ("u", 2)]:
        call(guard, tool, {"x": x}, echo)
    assert asked == ["t", "hook u"]


async def asynchronous(_: ToolEnvelope) -> bool:
    return False


@pytest.mark.parametrize(("when", "why"), [(boom, "LookupError: gone"), (asynchronous, "its `when` is asynchronous")])
def test_a_when_that_raises_counts_as_a_rule_that_fails(call: Call, when: Any, why: str) -> None:
    rule = precondition("*", when=when)(lambda _: Verdict.pass_())
    with pytest.raises(Denied, match=why):
        call(Guard(contracts=[rule]), "t", {}, echo)
    with pytest.raises(Denied, match=why):
        call(Guard(hooks=[HookRegistration("before", "*", lambda _: None, when)]), "t", {}, echo)
    (warning,) = call(Guard(contracts=[postcondition("*", when)(boom)]), "t", {}, echo).warnings
    assert warning.code == "policy_error"


def test_asynchronous_rules_are_awaited() -> None:
    seen: list[str] = []

    async def hook(_: ToolEnvelope) -> HookDecision:
        await asyncio.sleep(0)
        seen.append("hook")
        return HookDecision.allow()

    async def verdict(*_: Any) -> Verdict:
        await asyncio.sleep(0)
        seen.append("rule")
        return Verdict.fail("late")

    async def listener(tool: str, found: Any) -> None:
        await asyncio.sleep(0)
        seen.append(f"{tool}: {found.reason}")

    guard = Guard(
        hooks=[HookRegistration("before", "*", hook)], contracts=[postcondition("*")(verdict)], on_warning=listener
    )
    assert asyncio.run(guard.run("t", {}, echo)) == "echo"
    assert seen == ["hook", "rule", "t: late"]


def test_an_asynchronous_rule_in_a_call_that_is_not_counts_as_one_that_raises(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """And its coroutine is closed: pytest makes an error of one that was never awaited."""
    why = "NeedsAwait: this is asynchronous, and the call is not: use `await guard.run"
    asynchronous_ones: list[dict[str, Any]] = [
        {"hooks": [HookRegistration("before", "*", later)]},
        {"contracts": [precondition("*")(later)]},
        {"contracts": [session_contract(later)]},
        {"principal": later},
    ]
    for options in asynchronous_ones:
        with pytest.raises(Denied, match=why):
            Guard(**options).run_sync("t", {}, echo)
    guard = Guard(
        contracts=[postcondition("*")(later)], hooks=[HookRegistration("after", "*", later)], on_warning=later
    )
    outcome = guard.call_sync("t", {}, echo)
    assert (outcome.result, [found.code for found in outcome.warnings]) == ("echo", ["policy_error"])
    assert caplog.text.count("NeedsAwait") == 2


def test_what_a_rule_sees_of_a_call(call: Call) -> None:
    seen: list[ToolEnvelope] = []
    guard = Guard(
        environment="staging",
        tools={"t": {"side_effect": "write", "idempotent": True}},
        hooks=[HookRegistration("before", "*", seen.append)],
    )
    who = Principal(user_id="kim", claims={"level": 3})
    call(guard, "u", {}, echo)
    about: dict[str, Any] = {"session_id": "s", "call_id": "c", "parent_call_id": "p", "metadata": {"trace": 1}}
    call(guard, "t", {"x": [1]}, echo, principal=who, **about)
    first, second = seen
    assert (first.side_effect, first.principal, first.call_index, first.session_id) == (None, None, 0, guard.run_id)
    assert second == ToolEnvelope(
        tool_name="t",
        args={"x": [1]},
        call_id="c",
        run_id=guard.run_id,
        call_index=1,
        parent_call_id="p",
        session_id="s",
        environment="staging",
        side_effect="write",
        principal=who,
        metadata={"trace": 1},
    )


def test_a_rule_can_t_change_what_is_judged_or_run(call: Call) -> None:
    def meddle(envelope: ToolEnvelope, *_: Any) -> Any:
        assert isinstance(envelope.args, dict)
        envelope.args["x"] = 1
        envelope.args["deep"]["y"].append(envelope.tool_name)
        assert envelope.principal is not None
        assert isinstance(envelope.principal.claims, dict)
        envelope.principal.claims["role"] = "root"
        return None

    def condition(envelope: ToolEnvelope, *_: Any) -> Verdict:
        meddle(envelope)
        return Verdict.pass_()

    got: list[Any] = []
    guard, sink = watched(
        pre("p", {"any": [X, {"principal.claims.role": {"equals": "root"}}]}),
        post("w", {"any": [X, {"principal.claims.role": {"equals": "root"}}]}),
        hooks=[HookRegistration("before", "*", meddle), HookRegistration("after", "*", meddle)],
        contracts=[precondition("*")(condition), postcondition("*")(condition)],
    )
    given = {"x": 2, "deep": {"y": []}}
    outcome = call(guard, "t", given, lambda **args: got.append(args), principal=Principal(claims={"role": "nobody"}))
    assert got == [{"x": 2, "deep": {"y": []}}]
    assert given == {"x": 2, "deep": {"y": []}}
    assert outcome.warnings == ()
    assert all(event.tool_args == given for event in sink.events)


def test_a_session_contract_sees_the_counts_that_its_being_there_has_counted(call: Call) -> None:
    seen: list[SessionCounts] = []

    @session_contract
    def note(counts: SessionCounts) -> Verdict:
        seen.append(counts)
        return Verdict(counts.per_tool.get("u", 0) < 1, "u once")

    guard = Guard(contracts=[note])
    call(guard, "t", {}, echo, session_id="s")
    call(guard, "u", {}, echo, session_id="s")
    with pytest.raises(Denied, match="u once"):
        call(guard, "t", {}, echo, session_id="s")
    call(guard, "t", {}, echo, session_id="another")
    assert seen == [
        SessionCounts(session_id="s", attempts=1),
        SessionCounts(session_id="s", attempts=2, executions=1, per_tool={"t": 1}),
        SessionCounts(session_id="s", attempts=3, executions=2, per_tool={"t": 1, "u": 1}),
        SessionCounts(session_id="another", attempts=1),
    ]


def test_a_session_contract_counts_beside_limits_of_a_bundle(call: Call) -> None:
    seen: list[SessionCounts] = []

    def note(counts: SessionCounts) -> Verdict:
        seen.append(counts)
        return Verdict.pass_()

    guard = guard_of(limit("l", max_calls_per_tool={"t": 5}), contracts=[session_contract(note)])
    for tool in "tut":
        call(guard, tool, {}, echo)
    assert seen[-1].executions == 2
    assert seen[-1].per_tool == {"t": 1, "u": 1}


class Named:
    def __call__(self, _: Any) -> HookDecision:
        return HookDecision.deny("no")


def test_a_callable_without_a_name_has_that_of_its_class(call: Call) -> None:
    nameless: list[tuple[Any, str]] = [(Named(), "Named"), (functools.partial(boom), "partial")]
    for callback, name in nameless:
        with pytest.raises(Denied) as raised:
            call(Guard(hooks=[HookRegistration("before", "*", callback)]), "t", {}, echo)
        assert raised.value.decision_name == name


def test_what_would_never_be_asked_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="`boom` is no contract: mark it with `@precondition"):
        Guard(contracts=[boom])  # type: ignore[list-item]  # that is the mistake
    with pytest.raises(ConfigError, match="`boom` is no hook: register it with"):
        Guard(hooks=[boom])  # type: ignore[list-item]  # that is the mistake
    with pytest.raises(ConfigError, match="`befor` is no phase of hook `boom`; it is `before` or `after`"):
        Guard(hooks=[HookRegistration("befor", "*", boom)])  # type: ignore[arg-type]  # that is the mistake


def test_a_marked_function_can_still_be_called() -> None:
    @precondition("t")
    def rule(envelope: ToolEnvelope) -> Verdict:
        return Verdict(envelope.tool_name == "t")

    assert rule(ToolEnvelope(tool_name="t")) == Verdict.pass_()


def test_a_rule_of_the_same_name_as_a_contract_is_not_taken_for_it(call: Call) -> None:
    @postcondition("*")
    def secret(envelope: ToolEnvelope, result: Any) -> Verdict:
        return Verdict.fail("seen")

    guard = guard_of(post("secret", X, then={"output": "withhold"}), contracts=[secret])
    assert call(guard, "t", {}, echo).result == "echo"

    def no(_: ToolEnvelope) -> HookDecision:
        return HookDecision.allow()

    guard = guard_of(
        pre("no", ALWAYS, then={"metadata": {"severity": "high"}}), hooks=[HookRegistration("before", "*", no)]
    )
    with pytest.raises(Denied) as raised:
        call(guard, "t", {}, echo)
    assert raised.value.decision is not None
    assert raised.value.decision.metadata == {"severity": "high"}


def test_what_a_rule_says_is_recorded_without_secrets(call: Call) -> None:
    sink, key = MemorySink(), "ghp_" + "a1B2" * 9

    def hook(_: ToolEnvelope) -> HookDecision:
        return HookDecision.deny(f"not with {key}")

    with pytest.raises(Denied, match=key):
        call(Guard(hooks=[HookRegistration("before", "*", hook)], audit_sink=sink), "t", {}, echo)
    rule = precondition("*")(lambda _: Verdict.fail(f"nor {key}", password="hunter2", note=key))
    with pytest.raises(Denied, match=key):
        call(Guard(contracts=[rule], audit_sink=sink), "t", {}, echo)
    assert key not in str(sink.events)
    assert "hunter2" not in str(sink.events)
    assert last(sink).contracts_evaluated[0].metadata == {"password": "[redacted]", "note": "[redacted]"}
