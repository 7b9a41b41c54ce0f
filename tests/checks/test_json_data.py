"""Assertions on JSON: where they look, what they say, and when they can't look at all."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.evidence import Evidence, ModelCall, ToolCall

from .judging import answered, demand, judged, try_demand

ANSWER = '{"total": 3, "items": [{"n": 1}, {"n": 2}], "none": null, "name": "x"}'


@pytest.mark.parametrize(
    ("assertions", "wrong"),
    [
        ("{path: $.total, equals: 3}", ""),
        ("{path: $.total, gte: 1, lte: 3, type: integer}", ""),
        ("{path: $.total, gte: 4}", "`$.total` is 3; wanted `gte: 4`"),
        ("{path: $.total, gte: 1, lte: 2}", "`$.total` is 3; wanted `lte: 2`"),
        ("{path: $.absent, exists: false}", ""),
        ("{path: $.absent, exists: true}", "`$.absent` is missing; wanted `exists: true`"),
        ("{path: $.absent, not_equals: 1}", "`$.absent` is missing; wanted `not_equals: 1`"),
        ("{path: $.none, exists: true}", ""),
        ("{path: $.none, type: 'null'}", ""),
        ("{path: $.none, not_equals: 1}", ""),
        ("{path: $.name, gte: 1}", '`$.name` is "x"; wanted `gte: 1`'),
        ("{path: $.name, regex: '^x$'}", ""),
        ("{path: $.name, regex: '^y$'}", '`$.name` is "x"; wanted `regex: "^y$"`'),
        ("{path: '$.items[*].n', lte: 2}", ""),
        ("{path: '$.items[*].n', lte: 1}", "`$.items[*].n` is 2; wanted `lte: 1`"),
        ("{path: '$.items[*].m', exists: false}", ""),
        ("{path: $.items, length_gte: 3}", '`$.items` is [{"n":1},{"n":2}]; wanted `length_gte: 3`'),
        ("{path: $, type: object}", ""),
        (
            "{path: $.total, equals: 4}, {path: $.name, equals: y}",
            '`$.total` is 3; wanted `equals: 4`; `$.name` is "x"; wanted `equals: "y"`',
        ),
    ],
)
def test_every_operator_must_hold_for_every_value(assertions: str, wrong: str) -> None:
    found = judged(demand("json", f"{{assertions: [{assertions}]}}"), answered(ANSWER))
    assert (found.outcome, found.code) == (("failed", "schema_violation") if wrong else ("passed", ""))
    assert found.reason == wrong


def test_long_values_are_shown_in_part() -> None:
    check = demand("json", "{assertions: [{path: $, equals: 1}]}")
    assert len(judged(check, answered(f'"{"x" * 500}"')).reason) < 160


LOOKS = "{assertions: [{path: $.a, equals: 1}]}"


@pytest.mark.parametrize(
    ("answer", "outcome", "code"),
    [
        ('{"a": 1}', "passed", ""),
        ('{"a": 2}', "failed", "schema_violation"),
        ("[]", "failed", "schema_violation"),
        ("no JSON", "failed", "not_json"),
        ("", "failed", "not_json"),
        ("[" * 100_000, "failed", "not_json"),
        ("\ud83d", "failed", "not_json"),
        (None, "failed", "no_answer"),
    ],
)
def test_an_answer_is_read_as_json(answer: str | None, outcome: str, code: str) -> None:
    found = judged(demand("json", LOOKS), answered(answer))
    assert (found.outcome, found.code) == (outcome, code)


def test_without_an_answer_its_opposite_can_t_be_judged() -> None:
    found = judged(demand("json", LOOKS), answered(None), negate=True)
    assert (found.outcome, found.code) == ("error", "no_answer")


def asked(request: dict[str, Any], response: dict[str, Any] | None) -> ModelCall:
    return ModelCall(request=request, response=response)


@pytest.mark.parametrize(
    ("source", "events", "outcome", "code"),
    [
        ("response", [asked({}, {"a": 1})], "passed", ""),
        ("response", [asked({}, {"a": 2}), ToolCall(tool="t"), asked({}, {"a": 1})], "passed", ""),
        ("response", [asked({}, {"a": 1}), asked({}, {"a": 2})], "failed", "schema_violation"),
        ("response", [asked({"a": 1}, None)], "error", "no_model_call"),
        ("response", [], "error", "no_model_call"),
        ("request", [asked({"a": 1}, None)], "passed", ""),
        ("request", [ToolCall(tool="t")], "error", "no_model_call"),
    ],
)
@pytest.mark.parametrize("negate", [False, True])
def test_the_last_call_of_the_model_is_looked_into(
    source: str, events: list[Any], outcome: str, code: str, negate: bool
) -> None:
    check = demand("json", f"{{source: {source}, assertions: [{{path: $.a, equals: 1}}]}}")
    found = judged(check, Evidence(events=tuple(events)), negate=negate)
    if not negate:
        assert (found.outcome, found.code) == (outcome, code)
    else:
        assert found.outcome == {"passed": "failed", "failed": "passed", "error": "error"}[outcome]


def test_a_pattern_that_can_t_be_put_to_a_value_is_an_error() -> None:
    check = demand("json", r"{assertions: [{path: $, regex: '(a+)+\1$'}]}")
    found = judged(check, answered(f'"{"a" * 100_000}!"'))
    assert (found.outcome, found.code) == ("error", "regex_limit")


@pytest.mark.parametrize(
    ("fields", "codes", "hint"),
    [
        ("{assertions: []}", ["too-few"], ""),
        ("{assertions: [{path: $.a}]}", ["nothing-to-check"], "write `exists: true`, for example"),
        ("{assertions: [{equals: 1}]}", ["missing-key"], ""),
        ("{assertions: [{path: 1, equals: 1}]}", ["wrong-type"], ""),
        ("{assertions: [{path: a.b, equals: 1}]}", ["bad-path"], "it begins with `$`"),
        ("{assertions: [{path: $.a, equal: 1}]}", ["unknown-operator"], "did you mean `equals`?"),
        ("{assertions: [{path: $.a, matches: x}]}", ["unknown-operator"], None),
        ("{assertions: [{path: $.a, length_gte: x, type: strin}]}", ["wrong-type", "not-a-choice"], ""),
        ("{assertions: [x]}", ["wrong-type"], ""),
        ("{source: anser, assertions: [{path: $, exists: true}]}", ["not-a-choice"], "did you mean `answer`?"),
        (
            "{assertions: [{path: a, eq: 1}, {path: $.b, regex: '('}]}",
            ["bad-path", "unknown-operator", "bad-regex"],
            None,
        ),
    ],
)
def test_everything_wrong_with_assertions_is_told(fields: str, codes: list[str], hint: str | None) -> None:
    made, said = try_demand("json", fields)
    assert made is None
    assert [one.code for one in said] == codes
    if hint is not None:
        assert said[0].hint == hint
