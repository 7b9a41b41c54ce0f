"""Several observations come to what holds for all of them."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.observe import drafts, infer

from .seeing import asked, call, of_arguments, reviewed, seen, tool

STRING, ARRAY = {"exists": True, "type": "string"}, {"exists": True, "type": "array"}


def test_what_varies_in_type_loses_it() -> None:
    assert of_arguments({"a": "x"}, {"a": 1}) == {"$.a": {"exists": True}}
    assert of_arguments({"a": "x"}, {"a": None}) == {"$.a": {"exists": True}}
    assert of_arguments({"a": {"b": 1}}, {"a": "x"}) == {"$.a": {"exists": True}}


def test_whole_and_other_numbers_are_numbers() -> None:
    assert of_arguments({"a": 1}, {"a": 1.5}) == {"$.a": {"exists": True, "type": "number"}}


def test_what_is_optional_is_not_asked_for_nor_anything_in_it() -> None:
    assert of_arguments({"a": "x", "o": {"b": 1}}, {"a": "y"}) == {"$.a": STRING}
    assert of_arguments({"a": "y"}, {"a": "x", "kind": "p"}, kind={"enum": ["p", "q"]}) == {"$.a": STRING}
    assert reviewed(seen(call("t", {"a": 1})), seen(call("t"))) == ["`t`: `$.a` was not always there"]


def test_what_is_optional_below_is_not_asked_for() -> None:
    found = of_arguments({"o": {"a": "x", "b": 1}}, {"o": {"a": "y"}})
    assert found == {"$.o": {"exists": True, "type": "object"}, "$.o.a": STRING}


@pytest.mark.parametrize("order", [1, -1])
def test_an_array_that_was_empty_once_has_no_length(order: int) -> None:
    given: list[dict[str, Any]] = [{"ids": ["a"]}, {"ids": []}]
    assert of_arguments(*given[::order]) == {"$.ids": ARRAY}


def test_allowed_values_stay() -> None:
    assert of_arguments({"k": "p"}, {"k": "q"}, {"k": "p"}, k={"enum": ["p", "q"]}) == {"$.k": {"one_of": ["p", "q"]}}


def test_a_tool_that_was_not_always_called_is_not_expected() -> None:
    draft = infer([seen(call("a"), call("b")), seen(call("a"))])
    assert draft.tool == "a"
    assert [one.name for one in draft.calls] == ["a"]
    assert draft.review == ("`b` was not always called",)


def test_a_tool_is_expected_as_often_as_it_was_always_called() -> None:
    draft = infer([seen(call("a"), call("a"), call("a")), seen(call("b"), call("a"), call("a"))])
    assert [one.name for one in draft.calls] == ["a", "a"]
    assert draft.output == ({"path": "$.tool_calls", "length_gte": 2},)


def test_text_once_and_a_call_once_asks_for_neither() -> None:
    draft = infer([seen(call("a"), text="hm"), seen(text="no")])
    assert draft.calls == ()
    assert draft.seen == 2
    assert len(draft.review) == 2


def test_malformed_arguments_once_are_enough() -> None:
    draft = infer([seen(call("a", {"x": 1})), seen(call("a", "{"))])
    assert draft.calls == ()


def test_observations_go_together_by_name() -> None:
    found = drafts([seen(call("a"), name="one"), seen(call("b"), name="two"), seen(call("a", {"x": 1}), name="one")])
    assert [(draft.name, draft.tool, draft.seen) for draft in found] == [("one", "a", 2), ("two", "b", 1)]


def test_cases_are_those_that_taught_something() -> None:
    same = [seen(call("t", {"a": f"{number}"}), tools=[tool("t")]) for number in range(20)]
    other = seen(call("t", {"a": "x", "b": 1}))
    less = seen(call("t", {}))
    draft = infer([*same, other, less, *same])
    assert [case is same[0] or case is less for case in draft.cases] == [True, True]
    assert draft.seen == 42
    assert asked(infer(draft.cases)) == asked(draft)
