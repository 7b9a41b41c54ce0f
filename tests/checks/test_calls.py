"""Which tools were called, with which arguments: how it fails, and in which order failures count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bylaw.evidence import Effect, Evidence, ModelCall, ToolCall

from .judging import called, demand, judged, try_demand

SERVICE = "{name: deploy, argument_invariants: [{path: $.service, equals: api}, {path: $.replicas, gte: 2}]}"
BROKEN = ToolCall(tool="deploy", malformed='{"service": ')

TABLE = [
    # fields, calls, code, score
    ("{expect_tools: [a, b]}", ["b", "x", "a"], "", 1.0),
    ("{expect_tools: [a, b], tool_order: strict}", ["b", "x", "a"], "wrong_tool", 0.5),
    ("{expect_tools: [a, b], tool_order: strict}", ["b", "a", "b"], "", 1.0),
    ("{expect_tools: [a, a]}", ["a"], "wrong_tool", 0.5),
    ("{expect_tools: [a, a]}", ["a", "a"], "", 1.0),
    ("{expect_tools: [a, b, c], pass_threshold: 0.66}", ["a", "b"], "", 1.0),
    ("{expect_tools: [a, b, c], pass_threshold: 0.67}", ["a", "b"], "wrong_tool", 2 / 3),
    ("{expect_tools: [a]}", [], "tool_not_invoked", 0.0),
    ("{expect_tools: [a]}", ["b"], "wrong_tool", 0.0),
    ("{expect_tools: [A]}", ["a"], "wrong_tool", 0.0),
    ("{forbid_tools: [rm]}", ["ls"], "", 1.0),
    ("{forbid_tools: [rm]}", [], "", 1.0),
    ("{forbid_tools: [rm]}", ["ls", "rm"], "wrong_tool", 0.0),
    ("{only_tools: [ls]}", ["ls", "ls"], "", 1.0),
    ("{only_tools: [ls]}", ["ls", "rm"], "wrong_tool", 0.0),
    ("{expect_tools: [a], forbid_tools: [b]}", ["b"], "wrong_tool", 0.0),
    (f"{{expected_tool_calls: [{SERVICE}]}}", [("deploy", {"service": "api", "replicas": 2})], "", 1.0),
    (f"{{expected_tool_calls: [{SERVICE}]}}", [("deploy", {"service": "x", "replicas": 2})], "schema_violation", 0.0),
    (f"{{expected_tool_calls: [{SERVICE}]}}", [], "tool_not_invoked", 0.0),
    (f"{{expected_tool_calls: [{SERVICE}]}}", ["other"], "wrong_tool", 0.0),
    (f"{{expected_tool_calls: [{SERVICE}]}}", [BROKEN], "malformed_arguments", 0.0),
    ("{expect_tools: [deploy]}", [BROKEN], "malformed_arguments", 0.0),
    ("{expect_tools: [ls]}", ["ls", BROKEN], "", 1.0),
    ("{forbid_tools: [rm]}", [BROKEN], "", 1.0),
    # A tool that is missing counts before arguments that can't be read, and these before wrong ones.
    ("{expect_tools: [deploy, b]}", [BROKEN], "wrong_tool", 0.5),
    ("{expected_tool_calls: [{name: deploy}, {name: b}]}", [BROKEN], "wrong_tool", 0.0),
    (f"{{expected_tool_calls: [{SERVICE}, {{name: c}}]}}", [("deploy", {}), ToolCall(tool="c", malformed="x")],
     "malformed_arguments", 0.0),
    (f"{{expect_tools: [b], expected_tool_calls: [{SERVICE}]}}", [("deploy", {})], "wrong_tool", 0.0),
    (f"{{expect_tools: [deploy], expected_tool_calls: [{SERVICE}]}}", [("deploy", {})], "schema_violation", 0.0),
    (f"{{forbid_tools: [rm], expected_tool_calls: [{SERVICE}]}}", [BROKEN, "rm"], "wrong_tool", 0.0),
    # The first call would serve both entries; a greedy choice loses the second.
    ("{expected_tool_calls: [{name: a}, {name: a, argument_invariants: [{path: $.x, equals: 1}]}]}",
     [("a", {"x": 1}), ("a", {"x": 2})], "", 1.0),
    ("{tool_call_match_mode: strict, expected_tool_calls: [{name: a}, {name: b}]}", "ba", "schema_violation", 0.5),
    ("{tool_call_match_mode: strict, expected_tool_calls: [{name: a}, {name: b}]}", "bab", "", 1.0),
    ("{expected_tool_calls: [{name: a}, {name: a}]}", ["a"], "schema_violation", 0.5),
    ("{expected_tool_calls: [{name: a}, {name: b}], pass_threshold: 0.5}", ["a"], "", 1.0),
    # The threshold holds for each list by itself.
    ("{expect_tools: [a, b], expected_tool_calls: [{name: a}], pass_threshold: 0.5}", ["a"], "", 1.0),
    ("{expect_tools: [a], expected_tool_calls: [{name: b}], pass_threshold: 0.5}", ["a"], "wrong_tool", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "calls", "code", "score"), TABLE, ids=range(len(TABLE)))
def test_calls_are_judged(fields: str, calls: Sequence[Any], code: str, score: float) -> None:
    found = judged(demand("tool_calls", fields), called(*calls))
    assert (found.outcome, found.code) == ("failed" if code else "passed", code)
    assert found.score == pytest.approx(score)


@pytest.mark.parametrize(
    ("fields", "calls", "reason", "closest"),
    [
        (
            f"{{expected_tool_calls: [{SERVICE}]}}",
            [("deploy", {"service": "web"}), ("deploy", {"service": "api", "replicas": 1})],
            "no call serves `deploy` (line 1): `$.replicas` is 1; wanted `gte: 2`",
            {"tool": "deploy", "args": {"service": "api", "replicas": 1}},
        ),
        (
            f"{{expected_tool_calls: [{SERVICE}]}}",
            [("deploy", {})],
            (
                'no call serves `deploy` (line 1): `$.service` is missing; wanted `equals: "api"`;'
                " `$.replicas` is missing; wanted `gte: 2`"
            ),
            {"tool": "deploy", "args": {}},
        ),
        (
            "{expected_tool_calls: [{name: a}, {name: a}]}",
            [("a", {"x": 1})],
            "no call serves `a` (line 1): the one that fits serves another entry",
            {"tool": "a", "args": {"x": 1}},
        ),
        (
            "{expected_tool_calls: [{name: a}, {name: b}], tool_call_match_mode: strict}",
            ["b", "a"],
            "no call serves `a` (line 1): it comes out of order",
            {"tool": "a", "args": {}},
        ),
    ],
    ids=["nearest", "missing", "taken", "out-of-order"],
)
def test_the_call_that_came_nearest_is_named(
    fields: str, calls: list[Any], reason: str, closest: dict[str, Any]
) -> None:
    found = judged(demand("tool_calls", fields), called(*calls))
    assert found.code == "schema_violation"
    assert found.reason == reason
    assert found.details == {"closest": closest}


@pytest.mark.parametrize(
    ("fields", "calls", "reason"),
    [
        ("{expect_tools: [a, b]}", [], "no tool was called; `a`, `b` was expected"),
        ("{expect_tools: [a, b]}", ["c", "a"], "`b` was not called; called were `c`, `a`"),
        (
            "{expect_tools: [a, b], tool_order: strict}",
            ["b", "a"],
            "`a` was not called in the order asked for; called were `b`, `a`",
        ),
        ("{forbid_tools: [a]}", ["a"], "`a` was called and is forbidden"),
        ("{only_tools: [a]}", ["b"], "`b` was called and is not among the allowed tools"),
        ("{expect_tools: [deploy]}", [BROKEN], "the arguments of `deploy` are not a JSON object: '{\"service\": '"),
    ],
)
def test_a_failure_says_what_was_called(fields: str, calls: list[Any], reason: str) -> None:
    assert judged(demand("tool_calls", fields), called(*calls)).reason == reason


def test_what_it_rests_on_are_events_of_the_trial() -> None:
    model = ModelCall(request={})
    effect = Effect(kind="log", detail={})
    evidence = Evidence(events=(model, ToolCall(tool="ls"), effect, ToolCall(tool="rm")))
    assert judged(demand("tool_calls", "{forbid_tools: [rm]}"), evidence).about == (3,)
    assert judged(demand("tool_calls", "{expect_tools: [x]}"), evidence).about == (1, 3)


def test_a_pattern_that_can_t_be_put_to_an_argument_is_an_error() -> None:
    fields = r"{expected_tool_calls: [{name: a, argument_invariants: [{path: $.x, regex: '(a+)+\1$'}]}]}"
    for negate in (False, True):
        found = judged(demand("tool_calls", fields), called(("a", {"x": "a" * 100_000 + "!"})), negate=negate)
        assert (found.outcome, found.code) == ("error", "regex_limit")


def test_negated_it_asks_that_it_not_be_so() -> None:
    check = demand("tool_calls", "{expect_tools: [a]}")
    assert judged(check, called("a"), negate=True).code == "negated"
    assert judged(check, called("b"), negate=True).outcome == "passed"


@pytest.mark.parametrize(
    ("fields", "codes", "hint"),
    [
        ("{}", ["nothing-to-check"], "give `expect_tools`, `expected_tool_calls`, `forbid_tools` or `only_tools`"),
        ("{expect_tools: []}", ["nothing-to-check"], None),
        ("{only_tools: []}", ["too-few"], ""),
        ("{expect_tools: a}", ["wrong-type"], "write it as a list: `[…]`, or one `- ` per line"),
        ("{expect_tools: [a], tool_order: stric}", ["not-a-choice"], "did you mean `strict`?"),
        ("{expect_tools: [a], pass_threshold: 1.1}", ["out-of-range"], "it must be from 0 to 1"),
        ("{expected_tool_calls: [{nmae: a}]}", ["unknown-key", "missing-key"], "did you mean `name`?"),
        (
            "{expected_tool_calls: [{name: a, argument_invariants: [{path: '$.tool_calls[0].x', gte: 1}]}]}",
            ["path-not-relative"],
            "paths here begin at the call's own arguments: `$.field`",
        ),
        (
            "{expected_tool_calls: [{name: a, argument_invariants: [{path: x, gte: y}]}]}",
            ["bad-path", "wrong-type"],
            "it begins with `$`",
        ),
    ],
)
def test_fields_are_checked_when_they_are_read(fields: str, codes: list[str], hint: str | None) -> None:
    made, said = try_demand("tool_calls", fields)
    assert made is None
    assert [one.code for one in said] == codes
    if hint is not None:
        assert said[0].hint == hint
