"""Limits on attempts, session contracts, hooks, preconditions, limits on calls, the tool, postconditions, hooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bylaw.guard.decision import Denied
from bylaw.guard.python_rules import (
    HookDecision,
    HookRegistration,
    PythonRule,
    SessionCounts,
    ToolEnvelope,
    Verdict,
    postcondition,
    precondition,
    session_contract,
)

from .bundles import ALWAYS, BROKEN, Call, X, actions, echo, guard_of, limit, post, pre, watched


class Stages:
    """Everything written in Python that has a say, each noting that it was asked, and any of them saying no."""

    def __init__(self, deny: str = "") -> None:
        self.seen: list[str] = []
        self.deny = deny

    def passed(self, stage: str) -> bool:
        self.seen.append(stage)
        return stage != self.deny

    def rules(self) -> list[PythonRule]:
        @session_contract
        def session(counts: SessionCounts) -> Verdict:
            return Verdict(self.passed("session"), "no")

        @precondition("*")
        def before(envelope: ToolEnvelope) -> Verdict:
            return Verdict(self.passed("precondition"), "no")

        @postcondition("*")
        def after(envelope: ToolEnvelope, result: Any) -> Verdict:
            return Verdict(self.passed("postcondition"), "no")

        return [after, before, session]

    def hooks(self) -> list[HookRegistration]:
        def before(envelope: ToolEnvelope) -> HookDecision:
            return HookDecision(self.passed("before"))

        def after(envelope: ToolEnvelope, result: Any) -> None:
            self.seen.append("after")

        return [HookRegistration("after", "*", after), HookRegistration("before", "*", before)]

    def tool(self, **args: Any) -> str:
        self.seen.append("tool")
        return "done"


@contextmanager
def denied_by(source: str) -> Iterator[None]:
    with pytest.raises(Denied) as raised:
        yield
    assert raised.value.decision_source == source


ALL = ["session", "before", "precondition", "tool", "postcondition", "after"]


def test_everybody_is_asked_in_order(call: Call) -> None:
    stages = Stages()
    call(guard_of(pre("p", X), contracts=stages.rules(), hooks=stages.hooks()), "t", {"x": 2}, stages.tool)
    assert stages.seen == ALL


@pytest.mark.parametrize("stage", ["session", "before", "precondition"])
def test_the_first_denial_ends_it(call: Call, stage: str) -> None:
    stages = Stages(stage)
    guard = guard_of(pre("p", X), contracts=stages.rules(), hooks=stages.hooks())
    with denied_by({"session": "session_contract", "before": "hook"}.get(stage, stage)):
        call(guard, "t", {"x": 2}, stages.tool)
    assert stages.seen == ALL[: ALL.index(stage) + 1]


def test_a_limit_on_attempts_comes_before_everything(call: Call) -> None:
    stages = Stages()
    guard = guard_of(limit("l", max_attempts=0), contracts=stages.rules(), hooks=stages.hooks())
    with denied_by("yaml_session"):
        call(guard, "t", {}, stages.tool)
    assert stages.seen == []


def test_contracts_of_the_bundle_come_between_hooks_and_conditions_in_python(call: Call) -> None:
    stages = Stages()
    guard = guard_of(pre("p", X), contracts=stages.rules(), hooks=stages.hooks())
    with denied_by("yaml_precondition"):
        call(guard, "t", {"x": 1}, stages.tool)
    assert stages.seen == ["session", "before"]


def test_a_limit_on_calls_comes_last_before_the_tool(call: Call) -> None:
    stages = Stages()
    guard = guard_of(limit("l", max_tool_calls=0), contracts=stages.rules(), hooks=stages.hooks())
    with denied_by("yaml_session"):
        call(guard, "t", {}, stages.tool)
    assert stages.seen == ["session", "before", "precondition"]


def test_a_call_that_is_denied_early_takes_no_place_among_the_calls(call: Call) -> None:
    guard = guard_of(pre("p", X), limit("l", max_tool_calls=1))
    for _ in range(3):
        with pytest.raises(Denied, match="p says no"):
            call(guard, "t", {"x": 1}, echo)
    call(guard, "t", {"x": 2}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {"x": 2}, echo)


def test_the_first_enforced_denial_decides_and_all_are_listed(call: Call) -> None:
    guard, sink = watched(
        pre("watches", X, mode="observe"), pre("passes", {"args.x": {"equals": 2}}), pre("first", X), pre("second", X)
    )
    with pytest.raises(Denied) as raised:
        call(guard, "t", {"x": 1}, echo)
    denied = raised.value
    assert (denied.reason, denied.decision_source, denied.decision_name) == (
        "first says no",
        "yaml_precondition",
        "first",
    )
    assert str(denied) == "first says no"
    assert actions(sink) == ["CALL_WOULD_DENY", "CALL_DENIED"]
    for event in sink.events:
        listed = [(each.id, each.passed, each.observed) for each in event.contracts_evaluated]
        assert listed == [
            ("watches", False, True),
            ("passes", True, False),
            ("first", False, False),
            ("second", False, False),
        ]


def test_contracts_on_every_tool_and_on_one_count_in_file_order(call: Call) -> None:
    guard = guard_of(pre("everywhere", ALWAYS, tool="*"), pre("here", ALWAYS))
    with pytest.raises(Denied, match="everywhere says no"):
        call(guard, "t", {}, echo)
    guard = guard_of(pre("here", ALWAYS), pre("everywhere", ALWAYS, tool="*"))
    with pytest.raises(Denied, match="here says no"):
        call(guard, "t", {}, echo)


def test_postconditions_are_judged_before_hooks_are_told(call: Call) -> None:
    stages = Stages("postcondition")
    outcome = call(guard_of(post("w", ALWAYS), contracts=stages.rules(), hooks=stages.hooks()), "t", {}, stages.tool)
    assert stages.seen == ALL
    assert [found.item.id for found in outcome.warnings] == ["w", "after"]


def test_many_contracts_on_one_call_list_those_that_fired_and_count_the_rest(call: Call) -> None:
    rules = [pre(f"p{number}", {"args.x": {"equals": number}}) for number in range(100)]
    guard, sink = watched(*rules, post("w", ALWAYS), *[post(f"w{number}", X) for number in range(80)])
    with pytest.raises(Denied) as raised:
        call(guard, "t", {"x": 7}, echo)
    assert raised.value.decision_name == "p7"
    (event,) = sink.events
    assert ([each.id for each in event.contracts_evaluated], event.contracts_omitted) == (["p7"], 99)
    call(guard, "t", {"x": 100}, echo)
    allowed, executed, warning = sink.events[1:]
    assert (allowed.contracts_evaluated, allowed.contracts_omitted) == ((), 100)
    assert [each.id for each in executed.contracts_evaluated] == ["w"]
    assert executed.contracts_omitted == warning.contracts_omitted == 180


@pytest.mark.parametrize(("x", "name"), [(1, "broken"), ("2", "second")])
def test_a_contract_that_breaks_denies_and_the_others_are_still_evaluated(call: Call, x: object, name: str) -> None:
    guard, sink = watched(pre("broken", BROKEN), pre("second", {"args.x": {"in": [1, "2"]}}))
    with pytest.raises(Denied) as raised:
        call(guard, "t", {"x": x}, echo)
    assert raised.value.decision_name == name
    (event,) = sink.events
    assert [each.id for each in event.contracts_evaluated] == ["broken", "second"]
    assert event.policy_error is (name == "broken")
    assert event.contracts_evaluated[0].policy_error is (name == "broken")


def test_a_contract_that_is_not_enabled_is_never_evaluated(call: Call) -> None:
    guard, sink = watched(
        pre("asleep", ALWAYS, enabled=False),
        post("quiet", ALWAYS, enabled=False),
        limit("off", max_attempts=0) | {"enabled": False},
        pre("awake", X),
    )
    assert call(guard, "t", {}, echo).warnings == ()
    assert all([each.id for each in event.contracts_evaluated] == ["awake"] for event in sink.events)
