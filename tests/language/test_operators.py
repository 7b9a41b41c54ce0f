"""What each operator answers to a value, in both dialects."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.language.every import Every
from bylaw.language.operators import ABSENT, CALLS, HIT, JSON, MISMATCH, MISS, MISSING, Dialect, Reply, json_equal
from bylaw.language.regex import compile_pattern
from bylaw.language.schemas import JsonSchema
from bylaw.reader import Problems, parse

NAN = math.nan
ABC = compile_pattern("^a.c$")
DIGIT = compile_pattern(r"\d")

IN_CALLS: list[tuple[str, Any, list[Any], list[Any], list[Any]]] = [
    # operator, operand, values that hit, that miss, that it has no meaning for
    ("exists", True, ["", 0, False, [], {}], [MISSING, None], []),
    ("exists", False, [MISSING, None], ["", 0, False, [], {}], []),
    ("equals", "a", ["a"], ["A", "", 1, ["a"], {"a": 1}, True], []),
    ("equals", 1, [1, 1.0, True], [2, "1", NAN, [1]], []),
    ("equals", True, [True, 1, 1.0], [False, "true", 2], []),
    ("equals", 0, [0, False, 0.0, -0.0], ["", [], {}], []),
    ("not_equals", "a", ["b", 1, []], ["a"], []),
    ("not_equals", 1, ["1", NAN, 2], [1, 1.0, True], []),
    ("in", ("a", 1), ["a", 1, True, 1.0], ["b", 2, [], {}, ["a"]], []),
    ("in", (), [], ["a", 1, False], []),
    ("not_in", ("a", 1), ["b", [], {}], ["a", 1, True], []),
    ("not_in", (), ["a"], [], []),
    ("contains", "b", ["b", "abc"], ["", "B"], [1, True, NAN, ["b"], {"b": 1}]),
    ("contains", "", ["", "a"], [], [["b"]]),
    ("contains_any", ("b", "d"), ["abc", "d"], ["", "x"], [1, ["b"], {}]),
    ("contains_any", (), [], ["", "x"], [1]),
    ("starts_with", "/etc", ["/etc", "/etc/x"], ["etc", " /etc", ""], [1, ["/etc"], False]),
    ("ends_with", ".py", [".py", "a.py"], ["a.pyc", ""], [1, {}]),
    ("matches", ABC, ["abc", "axc", "abc\n"], ["", "abcd", "ABC"], [1, ["abc"], True, {}]),
    ("matches_any", (ABC, DIGIT), ["abc", "x1"], ["", "xyz"], [1, ["abc"]]),
    ("gt", 1, [2, 1.5, math.inf, 10**400], [1, 1.0, 0, -math.inf], ["2", True, NAN, [], {}]),
    ("gte", 1, [1, 1.0, 2], [0.999, -(10**400)], ["1", False, NAN]),
    ("lt", 1.5, [1, -math.inf], [1.5, 2, 10**400], ["1", True, NAN]),
    ("lte", 1.5, [1.5, 1], [2, math.inf], ["1", True, NAN]),
]

IN_JSON: list[tuple[str, Any, list[Any], list[Any], list[Any]]] = [
    ("exists", True, ["", 0, False, None, [], {}], [MISSING], []),
    ("exists", False, [MISSING], ["", 0, False, None], []),
    ("equals", "a", ["a"], ["A", 1, None, ["a"]], []),
    ("equals", 1, [1, 1.0], [True, "1", 2, NAN, None], []),
    ("equals", 1.0, [1, 1.0], [True, "1.0"], []),
    ("equals", True, [True], [1, 1.0, "true", False], []),
    ("equals", None, [None], [0, "", False, [], {}], []),
    ("equals", [1, {"a": [True]}], [[1.0, {"a": [True]}], (1, {"a": [True]})], [[1, {"a": [1]}], [1], [], {}], []),
    ("equals", {"a": 1, "b": None}, [{"b": None, "a": 1.0}], [{"a": 1}, {"a": True, "b": None}, []], []),
    ("not_equals", 1, [True, "1", None, [1]], [1, 1.0], []),
    ("not_equals", {"a": [1]}, [{"a": [True]}, {}], [{"a": [1.0]}], []),
    ("one_of", ("a", 1, None), ["a", 1, 1.0, None], [True, "1", "b", [], ["a"]], []),
    ("one_of", ([1], {"a": 2}), [[1.0], {"a": 2}], [1, {"a": 3}], []),
    ("one_of", (), [], ["a", None], []),
    ("not_one_of", ("a", 1), [True, "b", None], ["a", 1.0], []),
    ("contains", "b", ["abc", ["b", 1]], ["xyz", "", [], [["b"]], ["B"]], [1, None, {"b": 1}, True]),
    ("contains", 1, [[1], [0, 1.0]], [[True], ["1"], [], "1"], [1, None, {}]),
    ("contains", None, [[None]], [[], [0]], [None, {}]),
    ("contains", {"a": 1}, [[{"a": 1.0}]], [[{"a": 2}], "a"], [{"a": 1}]),
    ("not_contains", "b", ["xyz", [], ["B"]], ["abc", ["b"]], [1, None, {}]),
    ("regex", ABC, ["abc"], ["xabc"], [1, None, ["abc"], {}]),
    ("not_regex", DIGIT, ["abc", ""], ["a1"], [1, None, ["1"]]),
    ("type", "string", ["", "a"], [1, None, [], {}, True], []),
    ("type", "number", [1, 1.5, 10**400, math.inf], [True, "1", None, NAN], []),
    ("type", "integer", [1, -1, 2.0, 10**400], [1.5, True, "1", None, NAN, math.inf], []),
    ("type", "boolean", [True, False], [0, 1, "true", None], []),
    ("type", "array", [[], (1,)], ["", {}, None], []),
    ("type", "object", [{}], [[], "", None], []),
    ("type", "null", [None], [0, "", False, []], []),
    ("length_gte", 2, ["ab", [1, 2], "äö"], ["a", [], ""], [2, None, {"a": 1, "b": 2}, True]),
    ("length_lte", 2, ["ab", [], ""], ["abc", [1, 2, 3]], [2, None, {}]),
    ("schema", JsonSchema({"type": "integer", "minimum": 2}), [2, 3.0], [1, "2", None], []),
    (
        "every",
        Every(source={}, tests=(JSON.test("type", "string"), JSON.test("length_gte", 2))),
        [["ab"], []],
        [["ab", "a"], [1]],
        ["ab", {}, None],
    ),
    ("gt", 1, [2, 1.5], [1, 1.0], ["2", True, None, NAN]),
    ("gte", 1, [1, 1.0], [0], ["1", None]),
    ("lt", 1, [0, -1.5], [1], ["0", False]),
    ("lte", 1, [1, 0], [2], [[], {}]),
]

TABLE = [(CALLS, *row) for row in IN_CALLS] + [(JSON, *row) for row in IN_JSON]
IDS = [f"calls-{row[0]}-{n}" for n, row in enumerate(IN_CALLS)] + [
    f"json-{row[0]}-{n}" for n, row in enumerate(IN_JSON)
]


@pytest.mark.parametrize(("dialect", "name", "operand", "hits", "misses", "mismatches"), TABLE, ids=IDS)
def test_an_operator_answers(
    dialect: Dialect, name: str, operand: Any, hits: list[Any], misses: list[Any], mismatches: list[Any]
) -> None:
    test = dialect.test(name, operand)
    wanted = [(value, HIT) for value in hits] + [(value, MISS) for value in misses]
    wanted += [(value, MISMATCH) for value in mismatches]
    assert [(value, test(value)) for value, _ in wanted] == wanted


@pytest.mark.parametrize("dialect", [CALLS, JSON], ids=["calls", "json"])
def test_the_table_above_has_every_operator(dialect: Dialect) -> None:
    assert {row[1] for row in TABLE if row[0] is dialect} == set(dialect.operators)


@pytest.mark.parametrize(("dialect", "name", "operand"), [row[:3] for row in TABLE], ids=IDS)
def test_what_is_missing_hits_nothing_but_exists_false(dialect: Dialect, name: str, operand: Any) -> None:
    test = dialect.test(name, operand)
    hit = name == "exists" and operand is False
    assert (test(MISSING) is HIT) == hit
    assert test(MISSING) is not MISMATCH
    if dialect.null_is_missing:
        assert test(None) is test(MISSING)


def test_a_dialect_says_what_becomes_of_a_mismatch() -> None:
    assert (CALLS.mismatch, JSON.mismatch) == ("raises", "misses")
    assert {reply.name for reply in Reply} == {"hit", "miss", "missing", "mismatch"}
    assert CALLS.test("gt", 1)(MISSING) is ABSENT
    assert repr(MISSING) == "missing"


OPERANDS = [
    # dialect, operator, what a file writes, the code of what is said
    (CALLS, "equals", "~", "wrong-type"),
    (CALLS, "equals", "[1]", "wrong-type"),
    (CALLS, "in", "a", "wrong-type"),
    (CALLS, "in", "[[a]]", "wrong-type"),
    (CALLS, "contains", "1", "wrong-type"),
    (CALLS, "contains_any", "[1]", "wrong-type"),
    (CALLS, "matches", "'('", "bad-regex"),
    (CALLS, "matches", "1", "wrong-type"),
    (CALLS, "matches_any", "[a, '(']", "bad-regex"),
    (CALLS, "gt", "true", "wrong-type"),
    (CALLS, "gt", "'1'", "wrong-type"),
    (CALLS, "exists", "'yes'", "wrong-type"),
    (JSON, "one_of", "a", "wrong-type"),
    (JSON, "type", "sting", "not-a-choice"),
    (JSON, "length_gte", "1.5", "wrong-type"),
    (JSON, "regex", "'['", "bad-regex"),
    (JSON, "equals", "~", ""),
    (JSON, "contains", "{a: 1}", ""),
]


@pytest.mark.parametrize(("dialect", "name", "text", "code"), OPERANDS, ids=range(len(OPERANDS)))
def test_operands_are_checked_when_they_are_read(dialect: Dialect, name: str, text: str, code: str) -> None:
    problems = Problems()
    node = parse(text, file="f.yaml", problems=problems)
    assert node is not None
    dialect.operators[name].operand.read(node, problems)
    assert [said.code for said in problems.errors] == ([code] if code else [])


data = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.sampled_from(["", "a", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


def canonical(value: Any) -> Any:
    """A form in which Python's equality is JSON's."""
    match value:
        case bool() | None:
            return repr(value)
        case int() | float():
            return ("number", float(value))
        case list():
            return ["list", *map(canonical, value)]
        case dict():
            return {key: canonical(inner) for key, inner in value.items()}
        case _:
            return ("text", value)


@settings(deadline=None)
@given(left=data, right=data)
def test_json_equality_is_deep(left: Any, right: Any) -> None:
    assert json_equal(left, right) == (canonical(left) == canonical(right))
    assert json_equal(left, left)


@settings(deadline=None)
@given(value=data, operand=data)
def test_a_json_operator_and_its_opposite_never_agree(value: Any, operand: Any) -> None:
    for name, opposite, with_it in [
        ("equals", "not_equals", operand),
        ("one_of", "not_one_of", (operand,)),
        ("contains", "not_contains", operand),
    ]:
        replies = {JSON.test(name, with_it)(value), JSON.test(opposite, with_it)(value)}
        assert replies in ({HIT, MISS}, {MISMATCH})
