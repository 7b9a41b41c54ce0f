"""The JSON Schema of a document and its reader agree on what is good, as far as a schema can say it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from bylaw.reader import Bounds, Document, Items, Problems, Text, parse, read, schema


class Leaf(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a leaf"

    kind: Literal["leaf"]
    size: Annotated[int, Bounds(ge=1, le=3)]


class Branch(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a branch"

    kind: Literal["branch", "twig"]
    names: Annotated[tuple[str, ...], Items(min=1)] = ()


class Sample(Document, frozen=True, kw_only=True):
    """One field of every kind."""

    id: Annotated[str, Text(min=1, max=4, pattern="[a-z]+"), "unique", "in the file"]
    mode: Literal["enforce", "observe"] = "enforce"
    share: Annotated[float, Bounds(ge=0, le=1)] = 1.0
    flag: bool | None = None
    tree: Leaf | Branch | None = None
    limits: Annotated[Mapping[str, Annotated[int, Bounds(ge=0)]], Items(min=1)] = msgspec.field(
        name="maxCalls", default_factory=dict
    )
    tags: tuple[str, ...] | str = ()
    more: Any = None


SCHEMA = schema(Sample, title="a sample")
VALIDATOR = Draft202012Validator(SCHEMA)


def reads(value: Any) -> bool:
    """Whether the reader takes it; every JSON text is YAML."""
    problems = Problems()
    node = parse(json.dumps(value), file="f.yaml", problems=problems)
    if node is not None:
        read(Sample, node, problems)
    return not problems.errors


words = st.sampled_from(["a", "abc", "abcde", "", "A", "enforce", "observe", "leaf", "twig", "branch", "zweig"])
numbers = st.sampled_from([-1, 0, 1, 2, 4, 10, 0.5, 1.5, -0.5])
wild = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)


def mostly(good: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(good, good, good, wild)


trees = st.one_of(
    st.fixed_dictionaries({"kind": mostly(st.just("leaf"))}, optional={"size": mostly(st.sampled_from([1, 2, 3]))}),
    st.fixed_dictionaries(
        {"kind": mostly(st.sampled_from(["branch", "twig"]))},
        optional={"names": mostly(st.lists(words, min_size=1, max_size=2)), "odd": wild},
    ),
)
samples = st.fixed_dictionaries(
    {"id": mostly(st.sampled_from(["a", "abc"]))},
    optional={
        "mode": mostly(st.sampled_from(["enforce", "observe"])),
        "share": mostly(st.sampled_from([0, 0.5, 1])),
        "flag": mostly(st.none() | st.booleans()),
        "tree": mostly(trees),
        "maxCalls": mostly(st.dictionaries(words, st.integers(0, 3), min_size=1, max_size=2)),
        "tags": mostly(words | st.lists(words, max_size=2)),
        "more": wild,
        "limits": wild,
    },
)


@settings(deadline=None, max_examples=400)
@given(value=st.one_of(samples, samples, wild))
@example(value={"id": "abc", "tree": {"kind": "leaf", "size": 2}, "maxCalls": {"a": 1}, "tags": "x"})
@example(value={"id": "abc", "tree": {"kind": "twig", "size": 2}})
@example(value={"id": "abc", "share": True})
@example(value={})
def test_schema_and_reader_agree(value: Any) -> None:
    assert VALIDATOR.is_valid(value) == reads(value)


def test_the_schema_is_one_and_describes_the_fields() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["title"] == "a sample"
    assert SCHEMA["required"] == ["id"]
    assert SCHEMA["additionalProperties"] is False
    assert SCHEMA["properties"]["id"]["description"] == "unique in the file"
    assert "description" not in SCHEMA["properties"]["mode"]
    assert "at" not in SCHEMA["properties"]
    assert "maxCalls" in SCHEMA["properties"]
