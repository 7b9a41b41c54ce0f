"""A trace says what evaluation does, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bylaw.evidence import ToolCall
from bylaw.language.expressions import Expression, ExpressionShape, Leaf, compile_expression
from bylaw.language.operators import Mismatch
from bylaw.language.spelling import alternatives, spell
from bylaw.language.tracing import Trace, trace
from bylaw.reader import Bad, Problems
from bylaw.reader.source import load_text

LEAVES = st.builds(
    lambda name, test: {f"args.{name}": test},
    st.sampled_from("abc"),
    st.sampled_from([{"equals": 1}, {"gt": 0}, {"contains": "x"}, {"exists": False}, {"not_equals": 1}]),
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda how, parts: {how: parts[0] if how == "not" else parts},
        st.sampled_from(["all", "any", "not"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)
CALLS = st.builds(
    lambda args: ToolCall(tool="t", args=args),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([0, 1, "x", None, True]), max_size=3),
)


def condition(when: dict[str, Any]) -> Expression:
    problems = Problems()
    source = load_text(json.dumps(when), file="when", problems=problems)
    assert source is not None
    expression = ExpressionShape().read(source.root, problems)
    problems.raise_errors()
    assert not isinstance(expression, Bad)
    return expression


def evaluated(expression: Expression, call: ToolCall) -> tuple[str, str]:
    try:
        holds = compile_expression(expression)(call)
    except Mismatch as error:
        return "mismatch", str(error)
    absent = not holds and isinstance(expression, Leaf) and call.args.get(expression.selector[-1]) is None
    return "true" if holds else "missing" if absent else "false", ""


def states(traced: Trace) -> list[str]:
    return [traced.state, *(state for part in traced.parts for state in states(part))]


@given(CONDITIONS, CALLS)
def test_a_trace_comes_to_what_evaluation_comes_to(when: dict[str, Any], call: ToolCall) -> None:
    expression = condition(when)
    traced = trace(expression, call)
    assert (traced.state, traced.says) == evaluated(expression, call)


@pytest.mark.parametrize(
    ("when", "args", "expected"),
    [
        ({"args.a": {"equals": 1}}, {"a": 1}, ["true"]),
        ({"args.a": {"equals": 1}}, {}, ["missing"]),
        ({"args.a": {"exists": False}}, {}, ["true"]),
        ({"args.a": {"gt": 0}}, {"a": "x"}, ["mismatch"]),
        ({"any": [{"args.a": {"equals": 1}}, {"args.b": {"equals": 1}}]}, {"a": 1}, ["true", "true", "not reached"]),
        (
            {"all": [{"args.a": {"equals": 1}}, {"args.b": {"equals": 1}}]},
            {"a": 2},
            ["false", "false", "not reached"],
        ),
        (
            {"all": [{"args.a": {"gt": 0}}, {"args.b": {"equals": 1}}]},
            {"a": ""},
            ["mismatch", "mismatch", "not reached"],
        ),
        ({"not": {"args.a": {"equals": 1}}}, {}, ["true", "missing"]),
    ],
)
def test_every_branch_has_a_state(when: dict[str, Any], args: dict[str, Any], expected: list[str]) -> None:
    assert states(trace(condition(when), ToolCall(tool="t", args=args))) == expected


def test_a_comparison_shows_what_it_saw() -> None:
    assert trace(condition({"args.a": {"gt": 0}}), ToolCall(tool="t", args={"a": "x"})).value == "x"


def test_a_condition_is_spelled_as_one_would_write_it() -> None:
    said = spell(condition({"all": [{"args.a": {"matches": r"\b'x'"}}, {"args.b": {"exists": False}}]}))
    assert said == r"all(args.a matches '\b''x''', args.b exists false)"


@given(CONDITIONS, CONDITIONS)
def test_what_is_spelled_alike_is_alike(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (spell(condition(one)) == spell(condition(other))) is (one == other)


def test_alternatives_are_listed_wherever_they_stand() -> None:
    found = alternatives(
        condition(
            {
                "any": [
                    {"args.a": {"in": [1, "1"]}},
                    {"any": [{"args.b": {"contains_any": ["x"]}}, {"args.c": {"gt": 1}}]},
                ]
            }
        )
    )
    assert found == ("args.a equals 1", "args.a equals '1'", "args.b contains 'x'", "args.c gt 1")


def test_a_view_shows_what_it_made_of_the_value() -> None:
    when = {"args.command | argv": {"starts_with": "rm "}}
    traced = trace(condition(when), ToolCall(tool="t", args={"command": "ls && sudo rm -r -f /"}))
    assert traced.state == "true"
    assert any(text.startswith("rm ") for text in traced.value)
    assert trace(condition(when), ToolCall(tool="t")).state == "missing"
    broken = trace(condition(when), ToolCall(tool="t", args={"command": "\0"}))
    assert broken.state == "error"
    assert broken.says
