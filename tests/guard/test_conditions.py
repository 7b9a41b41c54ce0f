"""Fields that are missing, values of every type, and tools of every name, as a live call meets them."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard

from .bundles import ALWAYS, Call, X, actions, bundle, echo, guard_of, limit, pre

OPERANDS: dict[str, Any] = {
    "equals": "a",
    "not_equals": "b",
    "in": ["a"],
    "not_in": ["b"],
    "contains": "a",
    "contains_any": ["a"],
    "starts_with": "a",
    "ends_with": "a",
    "matches": "a",
    "matches_any": ["a"],
    "gt": 0,
    "gte": 1,
    "lt": 2,
    "lte": 1,
}
NUMBERS = {"gt", "gte", "lt", "lte"}
ANYTHING = {"equals", "not_equals", "in", "not_in"}


def denied(call: Call, when: Any, args: Any, **about: Any) -> str:
    """`no`, `yes`, or `error`."""
    try:
        call(guard_of(pre("p", when)), "t", args, echo, **about)
    except Denied as refused:
        return "error" if refused.decision is None or refused.decision.policy_error else "yes"
    return "no"


@pytest.mark.parametrize("operator", OPERANDS)
def test_each_operator_holds_for_what_it_is_for(call: Call, operator: str) -> None:
    value = 1 if operator in NUMBERS else "a"
    assert denied(call, {"args.x": {operator: OPERANDS[operator]}}, {"x": value}) == "yes"


@pytest.mark.parametrize("operator", OPERANDS)
@pytest.mark.parametrize(
    "args", [{}, {"x": None}, {"x": {"y": None}}, {"x": 5}, {"x": {"z": "a"}}, {"x": ["y"]}], ids=str
)
def test_a_missing_field_makes_every_comparison_false(call: Call, operator: str, args: dict[str, Any]) -> None:
    """So a `not` around it is true."""
    leaf = {"args.x.y": {operator: OPERANDS[operator]}}
    assert denied(call, leaf, args) == "no"
    assert denied(call, {"not": leaf}, args) == "yes"


def test_a_missing_principal_makes_every_comparison_false(call: Call) -> None:
    for selector in ("principal.role", "principal.claims.x"):
        assert denied(call, {selector: {"not_equals": "a"}}, {}) == "no"
        assert denied(call, {selector: {"exists": False}}, {}) == "yes"


@pytest.mark.parametrize(
    ("args", "there"),
    [({}, False), ({"x": None}, False), ({"x": 0}, True), ({"x": ""}, True), ({"x": False}, True), ({"x": []}, True)],
)
def test_exists_tells_what_is_there_and_not_null(call: Call, args: dict[str, Any], there: bool) -> None:
    for wanted in (True, False):
        assert denied(call, {"args.x": {"exists": wanted}}, args) == ("yes" if wanted is there else "no")


@pytest.mark.parametrize("operator", sorted(OPERANDS.keys() - ANYTHING))
@pytest.mark.parametrize("value", [True, [1], {"a": 1}, b"a", (1,), math.nan], ids=repr)
def test_a_value_of_another_type_is_an_error_of_the_rule(call: Call, operator: str, value: Any) -> None:
    assert denied(call, {"args.x": {operator: OPERANDS[operator]}}, {"x": value}) == "error"
    assert denied(call, {"args.x": {operator: OPERANDS[operator]}}, {"x": 1 if operator not in NUMBERS else "1"}) == (
        "error"
    )


@pytest.mark.parametrize(
    ("operand", "value", "equal"),
    [(1, 1.0, True), (1, True, True), (1, "1", False), ("a", "a", True), (0, False, True), (1, [1], False)],
)
def test_equality_is_that_of_python(call: Call, operand: Any, value: Any, equal: bool) -> None:
    for when, holds in (
        ({"equals": operand}, equal),
        ({"in": ["z", operand]}, equal),
        ({"not_equals": operand}, not equal),
        ({"not_in": [operand]}, not equal),
    ):
        assert denied(call, {"args.x": when}, {"x": value}) == ("yes" if holds else "no")


def test_evaluation_goes_left_to_right_and_no_further_than_it_must(call: Call) -> None:
    error, true, false = {"args.x": {"gt": 1}}, {"args.x": {"equals": "a"}}, {"args.x": {"equals": "b"}}
    for when, outcome in (
        ({"any": [true, error]}, "yes"),
        ({"any": [error, true]}, "error"),
        ({"any": [false, error]}, "error"),
        ({"all": [false, error]}, "no"),
        ({"all": [error, false]}, "error"),
        ({"all": [true, error]}, "error"),
        ({"not": error}, "error"),
        ({"not": {"all": [false, error]}}, "yes"),
    ):
        assert denied(call, when, {"x": "a"}) == outcome


def test_globs_and_names_of_tools(call: Call) -> None:
    guard = guard_of(pre("p", ALWAYS, tools=["db_*", "mail"]), pre("q", ALWAYS, tool="x*"))
    for tool in ("db_read", "mail", "x*"):
        with pytest.raises(Denied):
            call(guard, tool, {}, echo)
    for tool in ("DB_read", "mails", "xy"):
        call(guard, tool, {}, echo)


@pytest.mark.parametrize(("mode", "override"), [("enforce", None), ("observe", None), ("enforce", "observe")])
def test_tools_that_no_contract_names_are_refused_where_the_bundle_says_so(
    call: Call, mode: str, override: Any
) -> None:
    sink = MemorySink()
    text = bundle(pre("p", X), limit("l", max_calls_per_tool={"limited": 1}), mode=mode, unmatched="deny")
    guard = Guard.from_text(text, mode=override, audit_sink=sink)
    call(guard, "t", {}, echo)
    call(guard, "limited", {}, echo)
    if "observe" in (mode, override):
        call(guard, "stranger", {}, echo)
        assert actions(sink)[4:] == ["CALL_WOULD_DENY", "CALL_ALLOWED", "CALL_EXECUTED"]
    else:
        with pytest.raises(Denied) as raised:
            call(guard, "stranger", {}, echo)
        assert (raised.value.decision_source, raised.value.decision_name) == ("yaml_precondition", "unmatched")
        assert raised.value.reason == "no contract is for `stranger`, and tools without one are refused here"


def test_ten_thousand_sessions_at_once_are_counted_and_the_next_is_refused() -> None:
    guard = guard_of(limit("l", max_attempts=2))
    for number in range(10_000):
        guard.run_sync("t", {}, echo, session_id=f"s{number}")
    with pytest.raises(Denied, match="this session can't be counted now"):
        guard.run_sync("t", {}, echo, session_id="s10000")
    guard.run_sync("t", {}, echo, session_id="s0")
    with pytest.raises(Denied, match="l is reached"):
        guard.run_sync("t", {}, echo, session_id="s0")


def test_a_denial_survives_being_sent_to_another_process() -> None:
    with pytest.raises(Denied) as raised:
        guard_of(pre("p", X, then={"metadata": {"a": 1}})).run_sync("t", {"x": 1}, echo)
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (copy.reason, copy.decision_source, copy.decision_name) == ("p says no", "yaml_precondition", "p")
    assert copy.decision.metadata == {"a": 1}
