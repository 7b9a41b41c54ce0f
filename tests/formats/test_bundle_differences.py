"""Two bundles compared: what is called loosened never fires on a call that it let through before."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.evidence import ToolCall
from bylaw.formats.bundles import compile_bundle, compose, read_bundle
from bylaw.formats.bundles.composing import Composed
from bylaw.formats.bundles.differences import Differences, compare_bundles
from bylaw.policy import before
from bylaw.reader import Problems
from bylaw.reader.source import load_text


def contract(name: str = "cap", when: Any = None, **more: Any) -> dict[str, Any]:
    said = {"effect": "deny", "message": "no"}
    when = when or {"args.x": {"gt": 10}}
    return {"id": name, "type": "pre", "tool": "t", "when": when, "then": said} | more


def session(**limits: Any) -> dict[str, Any]:
    return {"id": "few", "type": "session", "limits": limits, "then": {"effect": "deny", "message": "no"}}


def composed(*contracts: dict[str, Any], mode: str = "enforce", **defaults: Any) -> Composed:
    text = json.dumps(
        {
            "apiVersion": "callguard/v1",
            "kind": "ContractBundle",
            "metadata": {"name": "b"},
            "defaults": {"mode": mode, **defaults},
            "contracts": contracts,
        }
    )
    problems = Problems()
    source = load_text(text, file="b.yaml", problems=problems)
    assert source is not None
    bundle = read_bundle(source, problems, advise=False)
    problems.raise_errors()
    assert bundle is not None
    return compose([bundle])


def said(found: Differences) -> list[tuple[str, str, str, list[str]]]:
    return [
        (change.id, change.what, change.direction, [field.field for field in change.fields])
        for change in found.contracts
    ]


def leaf(**test: Any) -> dict[str, Any]:
    return {"args.x": test}


A, B, C = leaf(equals=1), leaf(equals=2), leaf(contains="c")


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        (leaf(gt=10), leaf(gt=20), "loosened"),
        (leaf(gte=10), leaf(gte=5), "tightened"),
        (leaf(lt=10), leaf(lt=20), "tightened"),
        (leaf(lte=10), leaf(lte=5), "loosened"),
        (leaf(gt=10), leaf(gt=10.0), "changed"),
        (leaf(gt=10), leaf(lt=10), "changed"),
        (leaf(contains_any=["a", "b"]), leaf(contains_any=["a"]), "loosened"),
        (leaf(matches_any=["a"]), leaf(matches_any=["a", "b"]), "tightened"),
        ({"args.x": {"in": [1]}}, {"args.x": {"in": [1, 2]}}, "tightened"),
        (leaf(not_in=[1]), leaf(not_in=[1, 2]), "loosened"),
        (leaf(contains="a"), leaf(contains="ab"), "changed"),
        ({"any": [A, B]}, A, "loosened"),
        (A, {"any": [C, A]}, "tightened"),
        ({"any": [A, B]}, {"any": [A, C]}, "changed"),
        ({"all": [A, B]}, {"all": [A, B, C]}, "loosened"),
        ({"all": [A, B]}, {"all": [C, A, B]}, "changed"),
        ({"all": [A, B, C]}, {"all": [A]}, "tightened"),
        ({"all": [A, leaf(not_in=[1])]}, {"all": [A, leaf(not_in=[1, 2])]}, "loosened"),
        ({"any": [A, leaf(gt=10)]}, {"any": [A, leaf(gt=5)]}, "tightened"),
        ({"not": A}, {"not": B}, "changed"),
        ({"all": [A, B]}, {"any": [A, B]}, "changed"),
    ],
)
def test_the_direction_of_a_condition(old: Any, new: Any, direction: str) -> None:
    found = compare_bundles(composed(contract(when=old)), composed(contract(when=new)))
    assert said(found) == [("cap", "changed", direction, ["condition"])]


@pytest.mark.parametrize(
    ("old", "new", "direction", "fields"),
    [
        ({}, {"mode": "observe"}, "loosened", ["mode"]),
        ({"mode": "observe"}, {}, "tightened", ["mode"]),
        ({}, {"enabled": False}, "loosened", ["enabled"]),
        ({"mode": "observe"}, {"mode": "observe", "enabled": False}, "changed", ["enabled"]),
        ({"tool": "t"}, {"tool": "*"}, "tightened", ["tools"]),
        ({"tool": "t"}, {"tool": "u"}, "changed", ["tools"]),
        ({}, {"then": {"effect": "deny", "message": "no!"}}, "changed", ["message"]),
        ({}, {"then": {"effect": "deny", "message": "no", "tags": ["a"]}}, "changed", ["tags"]),
        ({}, {"examples": {"deny": [{"args": {"x": 11}}]}}, "changed", ["examples"]),
        ({}, {"when": leaf(gt=5), "tool": "u"}, "changed", ["tools", "condition"]),
        ({}, {"when": leaf(gt=5), "tool": "*"}, "tightened", ["tools", "condition"]),
        ({"mode": "observe"}, {"mode": "observe", "when": leaf(gt=20)}, "changed", ["condition"]),
        ({}, {"mode": "observe", "when": leaf(gt=5)}, "loosened", ["mode", "condition"]),
    ],
)
def test_the_direction_of_a_contract(
    old: dict[str, Any], new: dict[str, Any], direction: str, fields: list[str]
) -> None:
    found = compare_bundles(composed(contract(**old)), composed(contract(**new)))
    assert said(found) == [("cap", "changed", direction, fields)]


@pytest.mark.parametrize(
    ("old", "new", "direction"),
    [
        ({"max_attempts": 5}, {"max_attempts": 6}, "loosened"),
        ({"max_attempts": 5}, {"max_attempts": 4}, "tightened"),
        ({"max_attempts": 5}, {"max_attempts": 5, "max_tool_calls": 5}, "tightened"),
        ({"max_attempts": 5, "max_tool_calls": 5}, {"max_attempts": 5}, "loosened"),
        ({"max_attempts": 5, "max_tool_calls": 5}, {"max_attempts": 6, "max_tool_calls": 4}, "changed"),
        ({"max_calls_per_tool": {"calls": 5}}, {"max_calls_per_tool": {"calls": 6}}, "loosened"),
    ],
)
def test_the_direction_of_limits(old: dict[str, Any], new: dict[str, Any], direction: str) -> None:
    found = compare_bundles(composed(session(**old)), composed(session(**new)))
    assert said(found) == [("few", "changed", direction, ["limits"])]


def test_a_contract_that_comes_or_goes() -> None:
    cap, low, seen = contract(), contract("low"), contract("seen", mode="observe")
    found = compare_bundles(composed(cap, low), composed(low, seen))
    assert said(found) == [("cap", "removed", "loosened", []), ("seen", "added", "changed", [])]
    assert said(compare_bundles(composed(low), composed(cap, low))) == [("cap", "added", "tightened", [])]


def test_the_mode_of_a_bundle_shows_in_its_contracts() -> None:
    found = compare_bundles(composed(contract()), composed(contract(), mode="observe"))
    assert said(found) == [("cap", "changed", "loosened", ["mode"])]


def test_tools_without_a_contract() -> None:
    (default,) = compare_bundles(composed(contract()), composed(contract(), unmatched="deny")).defaults
    assert (default.field, default.gone, default.new, default.direction) == (
        "defaults.unmatched",
        ("allow",),
        ("deny",),
        "tightened",
    )


def test_another_order() -> None:
    a, b, c = (contract(name, leaf(gt=number)) for number, name in enumerate("abc"))
    found = compare_bundles(composed(a, b, c), composed(c, a, b))
    assert (found.contracts, found.moved, found.same) == ((), ("c",), 3)
    assert not found.none
    assert compare_bundles(composed(a, b, c), composed(a, c)).moved == ()


def test_what_is_gone_and_what_is_new_is_named() -> None:
    old, new = {"any": [A, B]}, {"any": [A, C]}
    (change,) = compare_bundles(composed(contract(when=old)), composed(contract(when=new))).contracts
    (field,) = change.fields
    assert (field.gone, field.new) == (("args.x equals 2",), ("args.x contains 'c'",))


LEAVES = st.builds(
    lambda name, test: {f"args.{name}": test},
    st.sampled_from("xy"),
    st.sampled_from(
        [
            *({"gt": 1}, {"gt": 2}, {"lt": 2}, {"exists": True}),
            *({"in": [1, 2]}, {"in": [1]}, {"not_in": [1]}, {"not_in": [1, 2]}),
            *({"contains_any": ["a", "b"]}, {"contains_any": ["a"]}),
        ]
    ),
)
PARTS = st.lists(LEAVES, min_size=1, max_size=3)
CONDITIONS = LEAVES | st.builds(lambda how, parts: {how: parts}, st.sampled_from(["all", "any"]), PARTS)
VALUES = st.sampled_from([0, 1, 2, 3, "a", "b", "ab", None, True])
ARGS = st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2)


@st.composite
def edits(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A condition, and the same with a part of it put in, taken out or written anew; or another one altogether."""
    old = draw(CONDITIONS)
    ((how, parts),) = old.items()
    if how not in ("all", "any"):
        return old, draw(CONDITIONS)
    changed = copy.deepcopy(parts)
    place = draw(st.integers(0, len(changed) - 1))
    match draw(st.sampled_from(["in", "out", "anew"])):
        case "in":
            changed.insert(draw(st.integers(0, len(changed))), draw(LEAVES))
        case "out" if len(changed) > 1:
            del changed[place]
        case _:
            changed[place] = draw(LEAVES)
    return old, {how: changed}


@settings(max_examples=500)
@given(edits(), st.lists(ARGS, min_size=1, max_size=20))
def test_a_direction_is_true_of_every_call(
    edit: tuple[dict[str, Any], dict[str, Any]], many: list[dict[str, Any]]
) -> None:
    old, new = (composed(contract(when=when)) for when in edit)
    direction = {change.direction for change in compare_bundles(old, new).contracts}
    policies = [compile_bundle(each, version="v") for each in (old, new)]
    for args in many:
        was, now = (bool(before(policy, ToolCall(tool="t", args=args))[0].action) for policy in policies)
        assert not (direction == {"loosened"} and now and not was)
        assert not (direction == {"tightened"} and was and not now)
        assert direction or was is now
