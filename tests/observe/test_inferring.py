"""What one answer comes to: the structure of its calls, and nothing of their values."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.language.paths import compile_path
from bylaw.observe import infer
from bylaw.observe.places import path_of

from .seeing import call, invariants, of_arguments, reviewed, seen, tool


def test_a_single_call_asks_for_each_argument_and_its_type() -> None:
    draft = infer([seen(call("deploy", {"env": "staging", "replicas": 3, "dry": True, "rate": 0.5}))])
    assert draft.tool == "deploy"
    assert draft.output == ()
    assert invariants(seen(call("deploy", {"env": "staging", "replicas": 3, "dry": True, "rate": 0.5}))) == {
        "$.env": {"exists": True, "type": "string"},
        "$.replicas": {"exists": True, "type": "integer"},
        "$.dry": {"exists": True, "type": "boolean"},
        "$.rate": {"exists": True, "type": "number"},
    }


def test_several_calls_are_expected_each_with_its_arguments() -> None:
    draft = infer([seen(call("search", {"q": "a"}), call("check"), call("search", {"q": "b", "page": 2}))])
    assert draft.tool == "multi_tool_call"
    assert [one.name for one in draft.calls] == ["search", "check", "search"]
    assert [len(one.invariants) for one in draft.calls] == [1, 0, 2]
    assert draft.output == ({"path": "$.tool_calls", "length_gte": 3},)


@pytest.mark.parametrize(
    ("value", "kind"), [(1, "integer"), (10**30, "integer"), (1.0, "number"), (1.5, "number"), (-0.0, "number")]
)
def test_a_number_is_whole_if_it_is_written_so(value: float, kind: str) -> None:
    assert of_arguments({"n": value})["$.n"]["type"] == kind


def test_a_whole_number_is_any_number_where_the_schema_says_so() -> None:
    assert of_arguments({"n": 1}, n={"type": "number"})["$.n"]["type"] == "number"
    assert of_arguments({"n": 1}, n={"anyOf": [{"type": ["number", "null"]}]})["$.n"]["type"] == "number"
    assert of_arguments({"n": 1}, n={"type": "integer"})["$.n"]["type"] == "integer"


def test_null_is_there_and_says_nothing_of_a_type() -> None:
    assert of_arguments({"a": None}) == {"$.a": {"exists": True}}
    assert reviewed(seen(call("t", {"a": None}))) == ["`t`: `$.a` was null, which says nothing of its type"]


def test_nested_objects_are_followed_five_levels_down() -> None:
    deep: dict[str, Any] = {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}
    found = of_arguments(deep)
    assert list(found) == ["$.a", "$.a.b", "$.a.b.c", "$.a.b.c.d", "$.a.b.c.d.e"]
    assert set(map(str, found.values())) == {str({"exists": True, "type": "object"})}


def test_an_array_has_a_length_and_elements() -> None:
    assert of_arguments({"ids": ["a", "b"], "rows": [{"n": 1}, {"n": 2, "m": 3}], "grid": [[1], [2]]}) == {
        "$.ids": {"exists": True, "type": "array", "length_gte": 1},
        "$.ids[0]": {"exists": True, "type": "string"},
        "$.rows": {"exists": True, "type": "array", "length_gte": 1},
        "$.rows[0]": {"exists": True, "type": "object"},
        "$.rows[0].n": {"exists": True, "type": "integer"},
        "$.grid": {"exists": True, "type": "array", "length_gte": 1},
        "$.grid[0]": {"exists": True, "type": "array", "length_gte": 1},
        "$.grid[0][0]": {"exists": True, "type": "integer"},
    }


def test_an_empty_array_has_neither() -> None:
    assert of_arguments({"ids": [], "o": {}}) == {
        "$.ids": {"exists": True, "type": "array"},
        "$.o": {"exists": True, "type": "object"},
    }


def test_elements_of_several_types_have_none() -> None:
    assert of_arguments({"ids": ["a", 1]})["$.ids[0]"] == {"exists": True}
    assert of_arguments({"ids": [1, 1.5]})["$.ids[0]"] == {"exists": True, "type": "number"}


NAMES = [
    "a.b",
    "",
    " ",
    "tool_calls",
    "tool_calls_of",
    "ä",
    "日本",
    "it's",
    'say "x"',
    "'\"",
    "back\\slash",
    "\n",
    "\0",
]
NAMES += ["0", "-", "a b", "$", "[0]", "\u2028", "'\\\""]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_every_name_has_a_path_that_finds_it(name: str) -> None:
    data = {name: {name: [7]}, "other": 1}
    path = path_of((name, name, 0))
    assert compile_path(path).values(data) == [7]
    assert not path.startswith("$.tool_calls")


def test_text_alone_is_for_a_person_to_look_at() -> None:
    draft = infer([seen(text="I can't do that.")])
    assert draft.tool == "multi_tool_call"
    assert draft.calls == ()
    assert {"path": "$.content", "exists": True, "type": "string", "length_gte": 1} in draft.output
    assert draft.review == ("the answer was text alone: should a tool have been called?",)


@pytest.mark.parametrize("text", [None, ""])
def test_an_answer_with_nothing_in_it_is_no_text(text: str | None) -> None:
    draft = infer([seen(text=text)])
    assert not any("length_gte" in one for one in draft.output)
    assert draft.output
    assert draft.review


@pytest.mark.parametrize("arguments", ["{", "not json", [1], 5, '"text"'], ids=range(5))
def test_a_tool_with_malformed_arguments_is_not_expected(arguments: Any) -> None:
    draft = infer([seen(call("good", {"a": 1}), call("bad", arguments), call("bad", {"b": 1}))])
    assert [one.name for one in draft.calls] == ["good"]
    assert draft.review == ("`bad` had arguments that are no JSON object, so no call of it is asked for",)


def test_a_call_without_a_name_is_not_expected() -> None:
    draft = infer([seen(call("", {"a": 1}), call("good"))])
    assert [one.name for one in draft.calls] == ["good"]
    assert draft.review == ("a call had no name and was passed over",)


def test_an_answer_of_unusable_calls_asks_for_next_to_nothing() -> None:
    draft = infer([seen(call("bad", "{"))])
    assert draft.tool == "multi_tool_call"
    assert draft.output == ({"path": "$.tool_calls", "type": "array"},)
    assert draft.review[0] == "no call could be used, so next to nothing is asked for"


def test_a_thousand_arguments_are_all_asked_for() -> None:
    assert len(of_arguments({f"a{number}": number for number in range(1_000)})) == 1_000


def test_what_one_file_can_hold_is_the_limit() -> None:
    many = seen(call("t", {f"a{number}": {"b": number, "c": [number]} for number in range(5_000)}))
    assert len(invariants(many)) == 2_000
    assert reviewed(many) == ["there are more arguments than one contract can ask for, so the rest is left out"]
    long = seen(call("t", {f"{number}" + "x" * 90: {"y" * 90: {"z" * 90: 1}} for number in range(600)}))
    assert 500 < len(invariants(long)) < 1_500


def test_a_name_in_a_comment_keeps_to_its_line() -> None:
    said = reviewed(seen(call("a\nb`", "{"), call("x" * 200, "{")))
    assert said[1].startswith("`a\\nb`` had")
    assert all("\n" not in line and len(line) < 200 for line in said)


def test_an_argument_that_names_a_secret_is_there_and_no_more() -> None:
    assert of_arguments({"password": "hunter2", "api_key": 5, "user": "kim"}) == {
        "$.password": {"exists": True},
        "$.api_key": {"exists": True},
        "$.user": {"exists": True, "type": "string"},
    }


def test_a_tool_that_is_called_as_several_are() -> None:
    assert infer([seen(call("multi_tool_call", {"a": 1}), tools=[tool("multi_tool_call")])]).calls[0].invariants
