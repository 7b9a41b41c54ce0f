"""Whatever a bundle says, reading it ends in diagnostics or in a guard, and in nothing else."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bylaw.errors import InvalidFile
from bylaw.guard.guard import Guard

from .bundles import post, pre, read_text, session, text_of

GOOD = text_of(
    pre("a", r"{any: [{args.x: {matches: '\brm\b'}}, {not: {principal.role: {in: [sre, 1]}}}]}", message="{args.x}"),
    pre("b", '{"args.command | argv": {contains: rm}}', tool="tools: ['db_*', t]", more="mode: observe"),
    pre("c", "{all: [{args.n: {gte: 5}}, {environment: {not_equals: production}}]}", more="examples: {deny: []}"),
    post("d", "{output.text: {matches_any: ['a+', b]}}", more="enabled: false"),
    session("e", "max_attempts: 5, max_tool_calls: 3, max_calls_per_tool: {t: 1}"),
    top="tools: {t: {parameters: {properties: {x: {type: string}, n: {type: integer}, command: {}}}}, db_x: {}}\n",
)
CALLS: list[dict[str, Any]] = [
    {"tool": "t", "args": {"x": "rm", "n": 7, "command": "rm -rf /"}, "principal": {"role": "sre"}, "output": "aab"},
    {"tool": "db_x", "args": {"x": 5, "n": "5", "command": None}, "environment": "test"},
    {"tool": "stranger", "args": {"x": {"y": ["\ud800"]}}, "output": ""},
]


def holds(text: str) -> None:
    try:
        guard = Guard.from_text(text)
    except InvalidFile as refused:
        found = refused.diagnostics
        assert all(each.level == "error" and each.message and each.where.line >= 1 for each in found)
        assert found
    else:
        guard.evaluate_batch(CALLS)
    read_text(text)


@settings(max_examples=300, deadline=None)
@given(st.text())
@example("")
@example("\0")
@example("\ud800")
@example("a: &a [*a]")
@example("[" * 2000)
@example("!!python/object/apply:os.system [ls]")
@example("%YAML 9.9\n---\na: b")
@example("? [a]\n: b")
def test_any_text(text: str) -> None:
    holds(text)


WORDS = """
    all any not args.x tool.name output.text equals matches in gt exists pre post session deny warn observe enforce
    << &a *a * ~ yes 1e3 null - ? !x { } [ ] : | # ' " \\ (a+)+$ (?P<x a{99999}
"""
words = st.sampled_from([*WORDS.split(), "\t", "\n", "\u2028", "\ufeff"])


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 40), words), min_size=1, max_size=4))
def test_a_good_bundle_with_pieces_cut_out_and_words_put_in(cuts: list[tuple[int, int, str]]) -> None:
    text = GOOD
    for start, length, word in cuts:
        text = text[:start] + word + text[start + length :]
    holds(text)


def test_the_good_one_is_good() -> None:
    bundle, found = read_text(GOOD)
    assert bundle is not None
    assert [each for each in found if each.level == "error"] == []
    holds(GOOD)


DOCUMENT: Any = yaml.safe_load(GOOD)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | words | st.binary(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=3) | st.integers(), inner),
    max_leaves=6,
)


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(place for key, inner in inside for place in places(inner, (*way, key)))]


PLACES = [way for way in places(DOCUMENT) if way]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), values), min_size=1, max_size=3))
def test_a_good_document_with_something_else_anywhere(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = copy.deepcopy(DOCUMENT)
    for way, value in changes:
        inside = document
        for key in way[:-1]:
            if not (isinstance(inside, dict) and key in inside) and not (
                isinstance(inside, list) and key in range(len(inside))
            ):
                break
            inside = inside[key]
        else:
            if isinstance(inside, dict) or (isinstance(inside, list) and way[-1] in range(len(inside))):
                inside[way[-1]] = value
    with suppress(InvalidFile):  # most are refused
        Guard.from_documents(document).evaluate_batch(CALLS)


@settings(max_examples=100, deadline=None)
@given(st.recursive(st.sampled_from(["args.x", "y"]), lambda inner: st.dictionaries(words, inner) | st.lists(inner)))
def test_any_condition(when: Any) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["contracts"][0]["when"] = when
    with suppress(InvalidFile):  # most are refused
        Guard.from_documents(document).evaluate_batch(CALLS)
