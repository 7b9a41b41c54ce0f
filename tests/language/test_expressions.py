"""Conditions: everything wrong with one at once, and what it comes to on a call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from bylaw.errors import Diagnostic
from bylaw.evidence import ToolCall
from bylaw.language.expressions import Combined, ExpressionShape, Leaf, compile_expression
from bylaw.language.operators import CALLS, JSON, Mismatch
from bylaw.reader import Bad, Problems, parse

NOT_YET = (("output.text", "does not exist yet"),)
CALL = ToolCall(
    tool="t", args={"text": "abc", "number": 5, "yes": True, "list": ["a"], "none": None, "map": {"a": 1}}
)


def read(text: str) -> tuple[Leaf | Combined | Bad, tuple[Diagnostic, ...]]:
    problems = Problems()
    node = parse(text, file="f.yaml", problems=problems)
    assert node is not None, problems.all
    return ExpressionShape(absent=NOT_YET).read(node, problems), problems.all


def holds(text: str, call: ToolCall = CALL) -> bool:
    expression, said = read(text)
    assert not said
    assert not isinstance(expression, Bad)
    return compile_expression(expression)(call)


HIT, MISS, BREAKS = "{args.text: {equals: abc}}", "{args.text: {equals: x}}", "{args.number: {contains: x}}"


@pytest.mark.parametrize(
    ("condition", "true"),
    [
        (HIT, True),
        (MISS, False),
        (f"{{not: {MISS}}}", True),
        (f"{{not: {{not: {HIT}}}}}", True),
        (f"{{all: [{HIT}, {HIT}]}}", True),
        (f"{{all: [{HIT}, {MISS}]}}", False),
        (f"{{all: [{HIT}]}}", True),
        (f"{{any: [{MISS}, {HIT}]}}", True),
        (f"{{any: [{MISS}, {MISS}]}}", False),
        (f"{{any: [{MISS}]}}", False),
        (f"{{all: [{{any: [{MISS}, {HIT}]}}, {{not: {{all: [{HIT}, {MISS}]}}}}]}}", True),
        # Left to right, and no further than needed.
        (f"{{any: [{HIT}, {BREAKS}]}}", True),
        (f"{{all: [{MISS}, {BREAKS}]}}", False),
        (f"{{not: {{any: [{HIT}, {BREAKS}]}}}}", False),
        # A missing field makes the leaf false, whatever the operator; around it, `not` is true.
        ("{args.absent: {not_equals: x}}", False),
        ("{args.absent: {not_in: [x]}}", False),
        ("{args.none: {not_equals: x}}", False),
        ("{principal.role: {not_in: [admin]}}", False),
        ("{not: {args.absent: {equals: x}}}", True),
        ("{args.absent: {exists: false}}", True),
        ("{args.none: {exists: false}}", True),
        ("{args.absent: {contains: x}}", False),
        ("{args.text.deeper: {matches: x}}", False),
    ],
)
def test_what_a_condition_comes_to(condition: str, true: bool) -> None:
    assert holds(condition) is true


@pytest.mark.parametrize(
    "condition",
    [
        BREAKS,
        f"{{any: [{MISS}, {BREAKS}]}}",
        f"{{any: [{BREAKS}, {HIT}]}}",
        f"{{all: [{HIT}, {BREAKS}]}}",
        f"{{all: [{BREAKS}, {MISS}]}}",
        f"{{not: {BREAKS}}}",
    ],
)
def test_a_mismatch_that_is_reached_raises(condition: str) -> None:
    with pytest.raises(Mismatch) as raised:
        holds(condition)
    assert str(raised.value) == "`contains` has no meaning for `args.number`, which is a number"


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("{args.text: {gt: 1}}", "text"),
        ("{args.yes: {gt: 1}}", "true or false"),
        ("{args.list: {contains: a}}", "a list"),
        ("{args.map: {starts_with: a}}", "a mapping"),
        ("{args.number: {matches: a}}", "a number"),
    ],
)
def test_a_mismatch_is_worded_for_the_author(condition: str, kind: str) -> None:
    with pytest.raises(Mismatch, match=f", which is {kind}$"):
        holds(condition)


def test_in_the_other_dialect_a_mismatch_misses() -> None:
    expression, _ = read(BREAKS)
    assert not isinstance(expression, Bad)
    assert compile_expression(expression, dialect=JSON)(CALL) is False
    assert CALLS.operators.keys() >= {"contains"}


WRONG = [
    # condition, codes with their columns, hint of the first
    ("text", [("wrong-type", 1)], ""),
    ("[]", [("wrong-type", 1)], ""),
    ("{}", [("not-one-key", 1)], "join several with `all:` or `any:`"),
    ("{args.a: {equals: 1}, args.b: {equals: 2}}", [("not-one-key", 1)], "join several with `all:` or `any:`"),
    ("{args.a: 1}", [("wrong-type", 10)], "write `{equals: …}`, for example"),
    ("{args.a: {}}", [("not-one-operator", 10)], "join several with `all:`"),
    ("{args.a: {equals: 1, gt: 0}}", [("not-one-operator", 10)], "join several with `all:`"),
    ("{args.a: {equal: 1}}", [("unknown-operator", 11)], "did you mean `equals`?"),
    ("{args.a: {startsWith: x}}", [("unknown-operator", 11)], "did you mean `starts_with`?"),
    ("{args.a: {gt: x}}", [("wrong-type", 15)], ""),
    ("{args.a: {matches: '('}}", [("bad-regex", 20)], ""),
    ("{arg.a: {equals: 1}}", [("unknown-selector", 2)], None),
    ("{al: [{args.a: {equals: 1}}]}", [("unknown-selector", 2), ("wrong-type", 6)], "did you mean `all`?"),
    ("{output.text: {contains: x}}", [("selector-not-here", 2)], ""),
    ("{all: []}", [("too-few", 7)], ""),
    ("{any: {args.a: {equals: 1}}}", [("wrong-type", 7)], ""),
    ("{not: [{args.a: {equals: 1}}]}", [("wrong-type", 7)], ""),
    ("{all: [{any: []}, {not: {}}, 1]}", [("too-few", 14), ("not-one-key", 25), ("wrong-type", 30)], ""),
    (
        "{x: {eq: 1}, args.a: {gt: x}, all: [{args.b: {in: y}}]}",
        [
            ("not-one-key", 1),
            ("unknown-selector", 2),
            ("unknown-operator", 6),
            ("wrong-type", 27),
            ("wrong-type", 51),
        ],
        None,
    ),
]


@pytest.mark.parametrize(("condition", "said", "hint"), WRONG, ids=range(len(WRONG)))
def test_everything_wrong_with_a_condition_is_told(
    condition: str, said: list[tuple[str, int]], hint: str | None
) -> None:
    expression, found = read(condition)
    assert isinstance(expression, Bad)
    assert [(one.code, one.where.column) for one in found] == said
    if hint is not None:
        assert found[0].hint == hint


def test_a_condition_is_a_tree_with_places() -> None:
    expression, _ = read("all:\n  - args.a: {gt: 1}\n  - not: {tool.name: {in: [x, y]}}")
    assert isinstance(expression, Combined)
    first, second = expression.parts
    assert isinstance(first, Leaf)
    assert (first.selector, first.operator, first.operand) == ("args.a", "gt", 1)
    assert (first.where.line, first.where.column) == (2, 5)
    assert isinstance(second, Combined)
    (inner,) = second.parts
    assert isinstance(inner, Leaf)
    assert inner.operand == ("x", "y")


leaves = st.sampled_from(
    [
        {"args.text": {"equals": "abc"}},
        {"args.text": {"contains": "z"}},
        {"args.number": {"gt": 4}},
        {"args.number": {"contains": "x"}},
        {"args.absent": {"in": ["x"]}},
        {"args.none": {"exists": False}},
    ]
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
        inner.map(lambda part: {"not": part}),
    ),
    max_leaves=8,
)


def by_hand(tree: dict[str, Any]) -> bool:
    ((key, value),) = tree.items()
    if key == "all":
        return all(by_hand(part) for part in value)
    if key == "any":
        return any(by_hand(part) for part in value)
    if key == "not":
        return not by_hand(value)
    if value == {"contains": "x"}:
        raise Mismatch
    return value in ({"equals": "abc"}, {"gt": 4}, {"exists": False})


@settings(deadline=None, max_examples=200)
@given(tree=trees)
def test_a_compiled_tree_is_what_python_s_all_any_and_not_say(tree: dict[str, Any]) -> None:
    try:
        expected = by_hand(tree)
    except Mismatch:
        with pytest.raises(Mismatch):
            holds(json.dumps(tree))
    else:
        assert holds(json.dumps(tree)) is expected


SCHEMA = {**ExpressionShape().schema(), "$defs": ExpressionShape().definitions()}


def test_a_condition_has_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    (leaf,) = [SCHEMA["$defs"]["condition"]["additionalProperties"]]
    assert set(leaf["properties"]) == set(CALLS.operators)


wild = st.recursive(
    st.sampled_from([1, "x", True, None, "args.a"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["all", "any", "not", "args.a", "equals", "gt", "in", "eq"]), inner, max_size=2
        )
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=200)
@given(tree=trees | wild)
def test_what_is_read_is_valid_by_the_schema_too(tree: Any) -> None:
    expression, _ = read(json.dumps(tree))
    if not isinstance(expression, Bad):
        assert Draft202012Validator(SCHEMA).is_valid(tree)
    elif not isinstance(tree, dict):
        assert not Draft202012Validator(SCHEMA).is_valid(tree)
