"""A condition on a view holds where any of its texts makes it hold, whatever stands around it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bylaw.evidence import ToolCall
from bylaw.guard.backtests.hidden import BREAKS, FAILS, HOLDS, compile_possible
from bylaw.language.expressions import Expression, ExpressionShape, Leaf, compile_expression, leaves
from bylaw.language.operators import Mismatch
from bylaw.language.tracing import trace
from bylaw.language.witnesses import witness
from bylaw.policy.sieve import clues
from bylaw.reader import Bad, Problems
from bylaw.reader.source import load_text

COMMANDS = ("ls", "echo hi", "rm x", "rm -i x")
LEAVES = st.sampled_from(
    [
        {"args.c | argv": {"matches": "^ls"}},
        {"args.c | argv": {"starts_with": "rm"}},
        {"args.c | argv": {"not_in": ["ls", "echo hi"]}},
        {"args.c | argv": {"not_equals": "rm x"}},
        {"args.c | argv": {"exists": True}},
        {"args.c | argv": {"exists": False}},
        {"args.n": {"equals": 1}},
    ]
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda how, parts: {how: parts[0] if how == "not" else parts},
        st.sampled_from(["all", "any", "not"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)
CALLS = st.builds(
    lambda lines, n: ToolCall(tool="t", args={"c": lines if isinstance(lines, int) else "; ".join(lines), "n": n}),
    st.lists(st.sampled_from(COMMANDS), max_size=3) | st.just(5),
    st.sampled_from([1, 2]),
)


def condition(when: dict[str, Any]) -> Expression:
    problems = Problems()
    source = load_text(json.dumps(when), file="when", problems=problems)
    assert source is not None
    expression = ExpressionShape().read(source.root, problems)
    problems.raise_errors()
    assert not isinstance(expression, Bad)
    return expression


def outcome(expression: Expression, call: ToolCall) -> int:
    try:
        return HOLDS if compile_expression(expression)(call) else FAILS
    except Mismatch:
        return BREAKS


@given(CONDITIONS, st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=3), st.sampled_from([1, 2]))
def test_a_line_is_never_let_through_for_company(when: dict[str, Any], commands: list[str], n: int) -> None:
    """What fires on one command alone fires on every line with it."""
    expression = condition(when)
    alone = [outcome(expression, ToolCall(tool="t", args={"c": command, "n": n})) for command in commands]
    together = outcome(expression, ToolCall(tool="t", args={"c": "; ".join(commands), "n": n}))
    assert together == HOLDS or HOLDS not in alone


@given(CONDITIONS, CALLS)
def test_every_way_to_ask_comes_to_the_same(when: dict[str, Any], call: ToolCall) -> None:
    expression = condition(when)
    wanted = outcome(expression, call)
    assert trace(expression, call).fires is (wanted != FAILS)
    assert compile_possible(expression)(call, ()) == wanted


@given(CONDITIONS)
def test_a_witness_is_one(when: dict[str, Any]) -> None:
    expression = condition(when)
    found = witness(expression, tools=["t"])
    assert found is None or outcome(expression, found) == HOLDS


@given(CONDITIONS)
def test_a_sieve_leaves_nothing_out_that_has_a_view(when: dict[str, Any]) -> None:
    expression = condition({"all": [when]})
    first = next(leaves(expression))
    assert "|" not in first.selector or clues(expression) is None


@pytest.mark.parametrize(
    ("nots", "every"), [(0, False), (1, True), (2, False), (3, True)], ids=["none", "one", "two", "three"]
)
def test_an_odd_number_of_nots_asks_for_every_text(nots: int, every: bool) -> None:
    when: dict[str, Any] = {"any": [{"args.c | argv": {"equals": "ls"}}]}
    for _ in range(nots):
        when = {"not": when}
    (leaf,) = leaves(condition(when))
    assert isinstance(leaf, Leaf)
    assert leaf.every is every
