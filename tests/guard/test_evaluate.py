"""A dry run says what the bundle says, and leaves no trace."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.errors import ConfigError
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import HookRegistration, Verdict, precondition

from .bundles import ALWAYS, BROKEN, X, echo, guard_of, limit, post, pre, watched


def test_nothing_is_run_counted_recorded_or_asked() -> None:
    def asked(*_: Any) -> Any:
        raise AssertionError("nobody is asked")

    guard, sink = watched(
        pre("p", X),
        post("w", ALWAYS),
        limit("l", max_attempts=1),
        hooks=[HookRegistration("before", "*", asked), HookRegistration("after", "*", asked)],
        contracts=[precondition("*")(asked)],
        on_warning=asked,
    )
    for x in (1, 2, 1, 2):
        assert guard.evaluate("t", {"x": x}, output="text").allowed is (x == 2)
    assert sink.events == ()
    assert guard.sessions.counts(guard.run_id) == {}


def test_it_takes_no_number_from_the_calls() -> None:
    guard, sink = watched(pre("p", X))
    guard.run_sync("t", {}, echo)
    guard.evaluate("t", {})
    guard.run_sync("t", {}, echo)
    assert sorted({event.call_index for event in sink.events}) == [0, 1]


def test_it_says_what_a_call_would_meet() -> None:
    guard = guard_of(
        pre("o", X, mode="observe"), pre("b", BROKEN), pre("p", X, then={"metadata": {"severity": "high"}})
    )
    decision = guard.evaluate("t", {"x": 1})
    assert (decision.allowed, decision.source, decision.name, decision.policy_error) == (
        False,
        "yaml_precondition",
        "b",
        True,
    )
    assert [found.item.id for found in decision.findings] == ["o", "b", "p"]
    assert [found.item.id for found in decision.would_deny] == ["o"]
    assert decision.metadata == {}
    assert guard.evaluate("u", {"x": 1}).findings == ()
    decision = guard_of(pre("p", X, then={"metadata": {"severity": "high"}})).evaluate("t", {"x": 1})
    assert decision.metadata == {"severity": "high"}
    assert guard.evaluate("t", {"x": "2"}).metadata == {}


def test_with_an_output_it_says_what_postconditions_would() -> None:
    guard = guard_of(pre("p", X), post("w", {"output.text": {"contains": "secret"}}))
    assert [found.item.id for found in guard.evaluate("t", {}).findings] == ["p"]
    decision = guard.evaluate("t", {}, output="a secret")
    assert decision.allowed
    assert [(found.item.id, found.action, found.reason) for found in decision.findings] == [
        ("p", "", ""),
        ("w", "warn", "w warns"),
    ]


def test_environment_and_principal_are_those_of_the_guard_unless_given() -> None:
    rules = (
        pre("env", {"environment": {"equals": "production"}}),
        pre("who", {"principal.role": {"equals": "intern"}}),
    )
    guard = guard_of(*rules, environment="staging", principal=Principal(role="intern"))
    assert guard.evaluate("t", {}).name == "who"
    assert guard.evaluate("t", {}, principal={"role": "lead"}).allowed
    assert guard.evaluate("t", {}, principal={"role": "lead"}, environment="production").name == "env"
    assert guard_of(*rules, principal=lambda tool, args: {"role": args["r"]}).evaluate("t", {"r": "x"}).name == "env"


def endless() -> Any:
    inner: list[Any] = []
    inner.append(inner)
    return inner


@pytest.mark.parametrize(
    ("args", "options", "source"),
    [
        ({"x": endless()}, {}, "arguments"),
        (5, {}, "arguments"),
        ({}, {"principal": {"rol": "x"}}, "principal"),
        ({}, {"principal": 5}, "principal"),
    ],
)
def test_what_can_t_be_judged_is_denied_as_a_call_would_be(args: Any, options: Any, source: str) -> None:
    guard = guard_of(pre("p", X))
    decision = guard.evaluate("t", args, **options)
    assert (decision.allowed, decision.source, decision.policy_error) == (False, source, True)
    with pytest.raises(Denied) as raised:
        guard.run_sync("t", args, echo, **options)
    assert raised.value.reason == decision.reason


def test_a_batch_is_judged_one_by_one_in_order() -> None:
    guard = guard_of(pre("p", X), post("w", ALWAYS), pre("q", {"environment": {"equals": "test"}}, tool="u"))
    decisions = guard.evaluate_batch(
        [
            {"tool": "t", "args": {"x": 1}},
            {"tool": "t"},
            {"tool": "t", "args": {}, "output": "out"},
            {"tool": "u", "environment": "test", "principal": {"role": "x"}},
        ]
    )
    assert [(one.allowed, one.name, len(one.findings)) for one in decisions] == [
        (False, "p", 1),
        (True, None, 1),
        (True, None, 2),
        (False, "q", 1),
    ]
    assert guard.evaluate_batch([]) == []


def test_a_call_of_a_batch_that_names_no_tool_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="call 2 of the batch does not say its `tool`"):
        guard_of(pre("p", X)).evaluate_batch([{"tool": "t"}, {"args": {}}])


def test_a_guard_with_rules_in_python_alone_allows_in_a_dry_run() -> None:
    rule = precondition("*")(lambda _: Verdict.fail("no"))
    assert Guard(contracts=[rule]).evaluate("t", {}).allowed
