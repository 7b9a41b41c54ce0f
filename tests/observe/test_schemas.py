"""The values a tool's own schema allows are the only ones a draft names."""

from __future__ import annotations

from typing import Any

import pytest

from .seeing import call, invariants, of_arguments, reviewed, seen, tool

ENUM = {"type": "string", "enum": ["a", "b"]}
DESCRIBED = [
    (ENUM, ["a", "b"]),
    ({"const": "a"}, ["a"]),
    ({"anyOf": [{"const": "a"}, {"const": "b"}]}, ["a", "b"]),
    ({"oneOf": [{"enum": ["a", "b"]}, {"const": "c"}]}, ["a", "b", "c"]),
    ({"anyOf": [ENUM, {"type": "null"}]}, ["a", "b", None]),
    ({**ENUM, "nullable": True}, ["a", "b", None]),
    ({"allOf": [{"type": "string"}, ENUM]}, ["a", "b"]),
    ({"$ref": "#/$defs/kind"}, ["a", "b"]),
    ({"enum": ["a", "a", 1, None, {"x": [1]}]}, ["a", 1, None, {"x": [1]}]),
]


@pytest.mark.parametrize(("schema", "values"), DESCRIBED, ids=range(len(DESCRIBED)))
def test_an_argument_with_allowed_values_carries_these_alone(schema: dict[str, Any], values: list[Any]) -> None:
    offered = [tool("t", {"$defs": {"kind": ENUM}}, kind=schema)]
    assert invariants(seen(call("t", {"kind": "a"}), tools=offered)) == {"$.kind": {"one_of": values}}


FREE = [
    {"type": "string"},
    {"enum": []},
    {"enum": "a"},
    {"anyOf": [ENUM, {"type": "string"}]},
    {"anyOf": "x"},
    {"$ref": "#/nowhere"},
    {"$ref": "other.json"},
    {"$ref": "#/properties/kind"},
    {"anyOf": [{"$ref": "#/properties/kind"}, {"$ref": "#/properties/kind"}]},
    {"type": "null"},
    {"enum": ["a", 10**500]},
    {"enum": [f"v{number}" for number in range(2_000)] + ["a"]},
    True,
    None,
]


@pytest.mark.parametrize("schema", FREE, ids=range(len(FREE)))
def test_what_allows_other_values_names_none(schema: Any) -> None:
    assert of_arguments({"kind": "a"}, kind=schema) == {"$.kind": {"exists": True, "type": "string"}}


def test_nested_fields_and_elements_have_theirs() -> None:
    nested = {"type": "object", "properties": {"kind": ENUM}}
    found = of_arguments(
        {"o": {"kind": "a"}, "many": ["b", "a"], "rows": [{"kind": "b"}]},
        o={"anyOf": [nested, {"type": "null"}]},
        many={"type": "array", "items": ENUM},
        rows={"type": "array", "items": nested},
    )
    assert found["$.o.kind"] == found["$.many[0]"] == found["$.rows[0].kind"] == {"one_of": ["a", "b"]}
    assert found["$.many"] == {"exists": True, "type": "array", "length_gte": 1}


def test_an_answer_outside_the_allowed_values_is_not_held_to_them() -> None:
    one = seen(call("t", {"kind": "z"}), tools=[tool("t", kind=ENUM)])
    assert invariants(one) == {"$.kind": {"exists": True, "type": "string"}}
    assert reviewed(one) == ["`t`: `$.kind` was not always one of the values that the tool's schema allows"]


def test_a_value_is_allowed_as_json_is_equal() -> None:
    assert of_arguments({"n": 1.0}, n={"enum": [1, 2]})["$.n"] == {"one_of": [1, 2]}
    assert "one_of" not in of_arguments({"n": True}, n={"enum": [1, 2]})["$.n"]


def test_a_schema_of_another_tool_says_nothing() -> None:
    assert "one_of" not in invariants(seen(call("t", {"kind": "a"}), tools=[tool("other", kind=ENUM)]))["$.kind"]


def test_a_schema_that_changed_allows_what_either_did() -> None:
    first = seen(call("t", {"kind": "a"}), tools=[tool("t", kind={"enum": ["a", "b"]})])
    second = seen(call("t", {"kind": "c"}), tools=[tool("t", kind={"enum": ["b", "c"]})])
    assert invariants(first, second)["$.kind"] == {"one_of": ["a", "b", "c"]}
    free = seen(call("t", {"kind": "d"}), tools=[tool("t", kind={"type": "string"})])
    assert invariants(first, free)["$.kind"] == {"exists": True, "type": "string"}


def test_an_observation_without_schemas_is_held_to_those_of_the_others() -> None:
    described = seen(call("t", {"kind": "a"}), tools=[tool("t", kind=ENUM)])
    assert invariants(described, seen(call("t", {"kind": "b"})))["$.kind"] == {"one_of": ["a", "b"]}
    assert "one_of" not in invariants(seen(call("t", {"kind": "z"})), described)["$.kind"]
