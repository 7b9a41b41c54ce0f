"""What each shape takes, what it says of the rest, and its JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.reader import BAD, Bounds, Items, ListNode, MapNode, Problems, Scalar, Text
from bylaw.reader.shapes import (
    Anything,
    Choice,
    Flag,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Optional,
    Raw,
    ScalarShape,
    Shape,
)

from .reading import node_of


def is_text(node: Any) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str)


NAME = Text(min=2, max=4, pattern="[a-z]+", form="a name")
WORD_OR_LIST = OneOf(
    alternatives=[(is_text, Text(min=1)), (lambda node: isinstance(node, ListNode), ListOf(item=Number(whole=True)))]
)

GOOD: list[tuple[Shape, str, Any]] = [
    (Text(), "''", ""),
    (Text(), "'1'", "1"),
    (NAME, "abc", "abc"),
    (Text(pattern="a|ab"), "ab", "ab"),
    (Number(), "1", 1),
    (Number(), "1.5", 1.5),
    (Number(whole=True), "-3", -3),
    (Number(bounds=Bounds(ge=0, le=1)), "1.0", 1.0),
    (Number(whole=True), "1" + "0" * 350, 10**350),
    (Flag(), "true", True),
    (ScalarShape(), "x", "x"),
    (ScalarShape(), "false", False),
    (Choice(values=("a", "b")), "b", "b"),
    (Choice(values=("2.0", 2.0)), "2.0", 2.0),
    (Choice(values=("2.0", 2.0)), "'2.0'", "2.0"),
    (Choice(values=(1,)), "1", 1),
    (ListOf(item=Text()), "[a, b]", ("a", "b")),
    (ListOf(item=Text()), "[]", ()),
    (ListOf(item=ListOf(item=Flag())), "[[true], []]", ((True,), ())),
    (MapOf(value=Number()), "{a: 1, b: 2.5}", {"a": 1, "b": 2.5}),
    (Optional(shape=Text()), "~", None),
    (Optional(shape=Text()), "x", "x"),
    (WORD_OR_LIST, "x", "x"),
    (WORD_OR_LIST, "[1]", (1,)),
    (Anything(), "{a: [1, ~]}", {"a": [1, None]}),
]


@pytest.mark.parametrize(("shape", "text", "value"), GOOD, ids=range(len(GOOD)))
def test_what_fits_is_read(shape: Shape, text: str, value: Any) -> None:
    problems = Problems()
    found = shape.read(node_of(text), problems)
    assert (found, type(found)) == (value, type(value))
    assert problems.all == ()


BAD_ONES: list[tuple[Shape, str, str, str, str]] = [
    (Text(), "1", "wrong-type", "this is a number; it must be text", "quote it: '1'"),
    (Text(), "true", "wrong-type", "this is true or false; it must be text", "quote it: 'true'"),
    (Text(), "~", "wrong-type", "this is empty; it must be text", ""),
    (Text(), "[a]", "wrong-type", "this is a list; it must be text", ""),
    (Text(), "{a: 1}", "wrong-type", "this is a mapping; it must be text", ""),
    (Text(min=1), "''", "too-short", "this must not be empty", ""),
    (NAME, "a", "too-short", "this must have at least 2 characters", ""),
    (NAME, "abcde", "too-long", "this has 5 characters; at most 4 are allowed", ""),
    (NAME, "a1", "bad-form", "`a1` is not a name", "it must match `[a-z]+`"),
    (Text(pattern="a"), "b", "bad-form", "`b` is not of the right form", "it must match `a`"),
    (Text(pattern="a"), '"a\\n"', "bad-form", "`a\n` is not of the right form", "it must match `a`"),
    (Number(), "x", "wrong-type", "this is text; it must be a number", ""),
    (Number(), "true", "wrong-type", "this is true or false; it must be a number", ""),
    (Number(), "~", "wrong-type", "this is empty; it must be a number", ""),
    (Number(whole=True), "1.0", "wrong-type", "this is a number; it must be a whole number", ""),
    (Number(bounds=Bounds(ge=0)), "-1", "out-of-range", "-1 is out of range", "it must be at least 0"),
    (Number(bounds=Bounds(le=2.5)), "3", "out-of-range", "3 is out of range", "it must be at most 2.5"),
    (Number(bounds=Bounds(ge=0, le=1)), "1.1", "out-of-range", "1.1 is out of range", "it must be from 0 to 1"),
    (Number(), "1.0e+999", "out-of-range", "inf is out of range", "it must be finite"),
    (Flag(), "1", "wrong-type", "this is a number; it must be true or false", ""),
    (Flag(), "'true'", "wrong-type", "this is text; it must be true or false", ""),
    (ScalarShape(), "~", "wrong-type", "this is empty; it must be a single value", ""),
    (ScalarShape(), "[1]", "wrong-type", "this is a list; it must be a single value", ""),
    (
        Choice(values=("deny", "warn")),
        "dney",
        "not-a-choice",
        "`dney` is not `deny` or `warn`",
        "did you mean `deny`?",
    ),
    (Choice(values=("deny", "warn")), "x", "not-a-choice", "`x` is not `deny` or `warn`", ""),
    (Choice(values=("1",)), "1", "wrong-type", "this is a number; it must be `1`", ""),
    (Choice(values=(1,)), "true", "wrong-type", "this is true or false; it must be `1`", ""),
    (Choice(values=("a",)), "[a]", "wrong-type", "this is a list; it must be `a`", ""),
    (
        ListOf(item=Text()),
        "a",
        "wrong-type",
        "this is text; it must be a list",
        "write it as a list: `[…]`, or one `- ` per line",
    ),
    (ListOf(item=Text()), "{a: 1}", "wrong-type", "this is a mapping; it must be a list", ""),
    (ListOf(item=Text(), items=Items(min=1)), "[]", "too-few", "needs at least 1 item", ""),
    (ListOf(item=Text(), items=Items(min=2)), "[a]", "too-few", "needs at least 2 items", ""),
    (MapOf(value=Text()), "[a]", "wrong-type", "this is a list; it must be a mapping", ""),
    (MapOf(value=Text(), items=Items(min=1)), "{}", "too-few", "needs at least 1 entry", ""),
    (MapOf(value=Text(), items=Items(min=2)), "{a: b}", "too-few", "needs at least 2 entries", ""),
    (Optional(shape=Flag()), "x", "wrong-type", "this is text; it must be true or false", ""),
    (WORD_OR_LIST, "1", "wrong-type", "this is a number; it must be text or a list", ""),
    (WORD_OR_LIST, "''", "too-short", "this must not be empty", ""),
]


@pytest.mark.parametrize(("shape", "text", "code", "message", "hint"), BAD_ONES, ids=range(len(BAD_ONES)))
def test_what_does_not_fit_is_told(shape: Shape, text: str, code: str, message: str, hint: str) -> None:
    problems = Problems()
    assert shape.read(node_of(text), problems) is BAD
    (said,) = problems.all
    assert (said.code, said.message, said.hint) == (code, message, hint)
    assert (said.where.line, said.where.column) == (1, 1)


def test_a_list_tells_of_every_bad_item_at_its_place() -> None:
    problems = Problems()
    assert ListOf(item=Text(min=1)).read(node_of("- a\n- 1\n- ''\n- [b]"), problems) is BAD
    assert [(said.code, said.where.line) for said in problems.all] == [
        ("wrong-type", 2),
        ("too-short", 3),
        ("wrong-type", 4),
    ]


def test_a_mapping_tells_of_every_bad_value_at_its_place() -> None:
    problems = Problems()
    assert MapOf(value=Flag()).read(node_of("a: true\nb: 1\nc: x"), problems) is BAD
    assert [said.where.line for said in problems.all] == [2, 3]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("- {id: a}\n- {id: b}", []),
        ("- {id: a}\n- {id: a}\n- {id: a}", [2, 3]),
        ("- {id: a, x: 1}\n- {x: 2}\n- {id: 1}\n- {id: 1}\n- text", []),
        ("- &a {id: a}\n- *a", [1]),
    ],
)
def test_no_two_items_share_a_name(text: str, lines: list[int]) -> None:
    problems = Problems()
    found = ListOf(item=Anything(), items=Items(unique="id")).read(node_of(text), problems)
    assert (found is BAD) == bool(lines)
    assert [(said.code, said.where.line) for said in problems.all] == [("duplicate-id", line) for line in lines]
    assert all("the first is on line 1" in said.message for said in problems.all)


def test_a_raw_part_is_left_as_it_is() -> None:
    node = node_of("{a: 1}")
    assert Raw().read(node, Problems()) is node
    assert isinstance(node, MapNode)


@pytest.mark.parametrize(
    ("shape", "schema"),
    [
        (Text(), {"type": "string"}),
        (NAME, {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^(?:[a-z]+)$"}),
        (Number(), {"type": "number"}),
        (Number(whole=True, bounds=Bounds(ge=1, le=9)), {"type": "integer", "minimum": 1, "maximum": 9}),
        (Flag(), {"type": "boolean"}),
        (ScalarShape(), {"type": ["string", "number", "boolean"]}),
        (Choice(values=("a", 1)), {"enum": ["a", 1]}),
        (ListOf(item=Flag()), {"type": "array", "items": {"type": "boolean"}}),
        (ListOf(item=Flag(), items=Items(min=1)), {"type": "array", "items": {"type": "boolean"}, "minItems": 1}),
        (MapOf(value=Flag()), {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (MapOf(value=Raw(), items=Items(min=1)), {"type": "object", "additionalProperties": {}, "minProperties": 1}),
        (Optional(shape=Flag()), {"anyOf": [{"type": "boolean"}, {"type": "null"}]}),
        (
            WORD_OR_LIST,
            {"anyOf": [{"type": "string", "minLength": 1}, {"type": "array", "items": {"type": "integer"}}]},
        ),
        (Anything(), {}),
    ],
    ids=range(14),
)
def test_a_shape_has_a_schema(shape: Shape, schema: dict[str, Any]) -> None:
    assert shape.schema() == schema
