"""What only observes is told and stops nothing, whatever it meets."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.errors import ConfigError
from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.loading import load_bundles
from bylaw.guard.python_rules import (
    HookDecision,
    HookRegistration,
    Verdict,
    postcondition,
    precondition,
    session_contract,
)

from .bundles import ALWAYS, BROKEN, Call, X, actions, bundle, echo, guard_of, last, limit, post, pre, watched


def test_an_observed_rule_is_told_and_the_call_goes_on(call: Call) -> None:
    guard, sink = watched(pre("o", X, mode="observe", then={"message": "x is {args.x}"}))
    assert call(guard, "t", {"x": 1}, echo).result == "echo"
    assert actions(sink) == ["CALL_WOULD_DENY", "CALL_ALLOWED", "CALL_EXECUTED"]
    would, allowed, _ = sink.events
    assert (would.decision_source, would.decision_name, would.reason) == ("yaml_precondition", "o", "x is 1")
    assert (would.policy_error, allowed.decision_source, allowed.decision_name) == (False, None, None)


def test_every_observed_rule_that_matches_has_its_event_also_when_another_denies(call: Call) -> None:
    guard, sink = watched(pre("a", X, mode="observe"), pre("no", X), pre("b", X, mode="observe"), pre("c", BROKEN))
    with pytest.raises(Denied):
        call(guard, "t", {"x": 1}, echo)
    assert [(event.action.name, event.decision_name) for event in sink.events] == [
        ("CALL_WOULD_DENY", "a"),
        ("CALL_WOULD_DENY", "b"),
        ("CALL_DENIED", "no"),
    ]


def test_an_observed_rule_that_breaks_is_told_as_an_error_and_the_call_goes_on(call: Call) -> None:
    guard, sink = watched(pre("o", BROKEN, mode="observe"))
    assert call(guard, "t", {"x": 1}, echo).result == "echo"
    would, allowed, executed = sink.events
    assert (would.action, would.decision_name, would.policy_error) == ("call_would_deny", "o", True)
    assert would.reason is not None
    assert "`contains` has no meaning for `args.x`, which is a number" in would.reason
    assert allowed.policy_error
    assert executed.policy_error


def test_an_observed_postcondition_is_recorded_and_not_given_to_the_caller(call: Call) -> None:
    told: list[Any] = []
    hidden = {"output": "withhold"}
    guard, sink = watched(
        post("o", ALWAYS, mode="observe", then=hidden), on_warning=lambda *found: told.append(found)
    )
    outcome = call(guard, "t", {}, echo)
    assert (outcome.result, outcome.warnings, told) == ("echo", (), [])
    assert actions(sink) == ["CALL_ALLOWED", "CALL_EXECUTED"]
    (record,) = last(sink).contracts_evaluated
    assert (record.id, record.passed, record.observed, record.message) == ("o", False, True, "o warns")
    assert last(sink).postconditions_passed is True


@pytest.mark.parametrize("limits", [{"max_attempts": 1}, {"max_tool_calls": 1}, {"max_calls_per_tool": {"t": 1}}])
def test_an_observed_limit_is_told_of_every_call_above_it_and_stops_none(call: Call, limits: dict[str, Any]) -> None:
    guard, sink = watched(limit("l", mode="observe", **limits))
    for _ in range(3):
        call(guard, "t", {}, echo)
    assert [event.decision_name for event in sink.events if event.action == "call_would_deny"] == ["l", "l"]
    assert actions(sink).count("CALL_EXECUTED") == 3


def test_an_observed_contract_with_several_limits_has_one_event_for_a_call(call: Call) -> None:
    guard, sink = watched(limit("l", mode="observe", max_attempts=0, max_tool_calls=0, max_calls_per_tool={"t": 0}))
    call(guard, "t", {}, echo)
    assert actions(sink) == ["CALL_WOULD_DENY", "CALL_ALLOWED", "CALL_EXECUTED"]
    assert [each.id for each in sink.events[0].contracts_evaluated] == ["l"]


def test_an_observed_limit_below_an_enforced_one_does_not_hold(call: Call) -> None:
    guard = guard_of(limit("o", mode="observe", max_tool_calls=1), limit("e", max_tool_calls=2))
    call(guard, "t", {}, echo)
    call(guard, "t", {}, echo)
    with pytest.raises(Denied, match="e is reached"):
        call(guard, "t", {}, echo)


@pytest.mark.parametrize(
    ("default", "own", "override", "denies"),
    [
        ("enforce", None, None, True),
        ("observe", None, None, False),
        ("enforce", "observe", None, False),
        ("observe", "enforce", None, True),
        ("enforce", "observe", "enforce", True),
        ("observe", "enforce", "observe", False),
        ("enforce", "enforce", "observe", False),
        ("observe", "observe", "enforce", True),
    ],
)
def test_an_override_beats_the_contract_which_beats_the_default(
    call: Call, default: str, own: str | None, override: Any, denies: bool
) -> None:
    mode: dict[str, Any] = {} if own is None else {"mode": own}
    sink = MemorySink()
    guard = Guard.from_text(bundle(pre("p", X, **mode), mode=default), mode=override, audit_sink=sink)
    if denies:
        with pytest.raises(Denied):
            call(guard, "t", {"x": 1}, echo)
    else:
        call(guard, "t", {"x": 1}, echo)
        assert sink.events[0].action == "call_would_deny"
    assert {event.mode for event in sink.events} == {override or default}


def test_an_override_holds_for_bundles_that_were_loaded_without_it(call: Call) -> None:
    loaded = load_bundles([bundle(pre("p", X))], mode=None)
    call(Guard(loaded, mode="observe"), "t", {"x": 1}, echo)
    with pytest.raises(Denied):
        call(Guard(loaded), "t", {"x": 1}, echo)


@pytest.mark.parametrize("mode", ["observer", "ENFORCE", "", "audit"])
def test_any_other_mode_is_an_error(mode: Any) -> None:
    loaded = load_bundles([bundle(pre("p", X))], mode=None)
    said = f"`{mode}` is no mode; it is `enforce` or `observe`"
    with pytest.raises(ConfigError, match=said):
        Guard(mode=mode)
    with pytest.raises(ConfigError, match=said):
        Guard(loaded, mode=mode)
    with pytest.raises(ConfigError, match=said):
        Guard.from_text(bundle(pre("p", X)), mode=mode)


@pytest.mark.parametrize("mode", ["observer", "ENFORCE", ""])
def test_any_other_mode_in_a_bundle_is_an_error(mode: str) -> None:
    for text in (bundle(pre("p", X), mode=mode), bundle(pre("p", X, mode=mode))):
        with pytest.raises(ConfigError, match="is not `enforce` or `observe`"):
            Guard.from_text(text)


class Nosy:
    """Rules in Python that all say no."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def verdict(self, name: str) -> Verdict:
        self.asked.append(name)
        if name.startswith("breaks"):
            raise RuntimeError("oh")
        return Verdict.fail("no")

    def options(self) -> dict[str, Any]:
        def hook(_: Any) -> HookDecision:
            self.asked.append("hook")
            return HookDecision.deny("no")

        rules = [
            session_contract(lambda _: self.verdict("session")),
            precondition("*")(lambda _: self.verdict("precondition")),
            precondition("*")(lambda _: self.verdict("breaks")),
            postcondition("*")(lambda *_: self.verdict("postcondition")),
        ]
        return {"contracts": rules, "hooks": [HookRegistration("before", "*", hook)]}


def test_a_guard_that_observes_stops_nothing_that_a_rule_in_python_would_deny(call: Call) -> None:
    nosy, sink = Nosy(), MemorySink()
    guard = Guard(mode="observe", audit_sink=sink, **nosy.options())
    outcome = call(guard, "t", {}, echo)
    assert (outcome.result, outcome.warnings) == ("echo", ())
    assert nosy.asked == ["session", "hook", "precondition", "breaks", "postcondition"]
    would = [event for event in sink.events if event.action == "call_would_deny"]
    assert [event.decision_source for event in would] == ["session_contract", "hook", "precondition"]


def test_a_guard_that_observes_lets_a_call_run_that_it_can_t_even_copy(call: Call) -> None:
    guard, sink = watched(pre("p", X), mode="observe")
    guard = Guard.from_text(bundle(pre("p", X)), mode="observe", audit_sink=sink)
    given = (each for each in "ab")
    assert call(guard, "t", {"x": given}, lambda x: "".join(x)).result == "ab"
    assert actions(sink) == ["CALL_WOULD_DENY", "CALL_ALLOWED", "CALL_EXECUTED"]
    assert (sink.events[0].decision_source, sink.events[0].policy_error) == ("arguments", True)
