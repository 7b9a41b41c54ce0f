"""Every part of a text knows its place, and aliases and merges stand for what they name."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.reader import ListNode, MapNode, Node, Scalar, plain

from .reading import node_of, value_of


def at(node: Node | None, *path: str | int) -> Node:
    for step in path:
        if isinstance(step, str):
            assert isinstance(node, MapNode)
            node = node.get(step)
        else:
            assert isinstance(node, ListNode)
            node = node.items[step]
    assert node is not None
    return node


TEXT = """\
# über alles
größe: "ä ö"   # ü
liste:
  - 1
  - {ß: [x,
      y]}

# danach
block: |
  eins
    zwei

ende: &e
  a: *x1
""".replace("*x1", "ü")


@pytest.mark.parametrize(
    ("path", "place", "written"),
    [
        (("größe",), "2:8", '"ä ö"'),
        (("liste",), "4:3", "- 1\n  - {ß: [x,\n      y]}"),
        (("liste", 0), "4:5", "1"),
        (("liste", 1), "5:5", "{ß: [x,\n      y]}"),
        (("liste", 1, "ß"), "5:9", "[x,\n      y]"),
        (("liste", 1, "ß", 1), "6:7", "y"),
        (("block",), "9:8", "|\n  eins\n    zwei\n\n"),
        (("ende",), "13:7", "&e\n  a: ü"),
        (("ende", "a"), "14:6", "ü"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_places_count_characters_and_lines(
    path: tuple[str | int, ...], place: str, written: str, newline: str
) -> None:
    text = TEXT.replace("\n", newline)
    span = at(node_of(text), *path).span
    assert f"{span.line}:{span.column}" == place
    assert text[span.start : span.end] == written.replace("\n", newline)
    assert str(span) == f"f.yaml:{place}"


def test_keys_have_places_and_what_is_absent_has_its_mapping_s() -> None:
    node = at(node_of("a: 1\nb:\n  c: {d: 1}"), "b", "c")
    assert isinstance(node, MapNode)
    assert (node.where("d").line, node.where("d").column) == (3, 7)
    assert node.where("e") == node.span
    assert node.get("e") is None


def test_line_ends_do_not_change_what_is_said() -> None:
    assert value_of(TEXT.replace("\n", "\r\n")) == value_of(TEXT)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert value_of("\ufeffa: 1") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: &x 1\nb: *x", {"a": 1, "b": 1}),
        ("a: &x [1]\nb: {c: *x}", {"a": [1], "b": {"c": [1]}}),
        ("a: &x 1\nb: &x 2\nc: *x", {"a": 1, "b": 2, "c": 2}),
        ("&k a: 1\nb: *k", {"a": 1, "b": "a"}),
        ("a: &x k\n*x : 1", {"a": "k", "k": 1}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"d": 2, "b": 1}}),
        ("a: &x {b: 1, d: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1, "d": 1}, "c": {"d": 2, "b": 1}}),
        ("a: &x {b: 1, d: 1}\nc: {d: 2, <<: *x}", {"a": {"b": 1, "d": 1}, "c": {"d": 2, "b": 1}}),
        ("a: {<<: [{b: 1}, {b: 2, c: 3}]}", {"a": {"b": 1, "c": 3}}),
        ("a: {<<: {<<: {b: 1}}}", {"a": {"b": 1}}),
        ("a: {<<: []}", {"a": {}}),
        ("a: {'<<': {b: 1}}", {"a": {"<<": {"b": 1}}}),
        ("--- \na: 1\n...\n", {"a": 1}),
        ("just text", "just text"),
        ("a:\nb:", {"a": None, "b": None}),
        ("a: []", {"a": []}),
    ],
)
def test_what_a_text_comes_to(text: str, value: Any) -> None:
    assert value_of(text) == value


def test_an_alias_stands_where_it_is_used_and_its_parts_where_they_were_written() -> None:
    node = node_of("a: &x {b: [1]}\nc:\n- *x\n")
    (used,) = [at(node, "c", 0)]
    assert isinstance(used, MapNode)
    assert (used.span.line, used.span.column) == (3, 3)
    assert (used.where("b").line, used.where("b").column) == (1, 8)


def test_how_a_word_was_quoted_is_kept() -> None:
    node = node_of("a: x\nb: 'x'\nc: \"x\"\nd: |\n  x")
    quotes = [at(node, key) for key in "abcd"]
    assert [one.quoted for one in quotes if isinstance(one, Scalar)] == ["", "'", '"', "|"]


def test_plain_data_is_the_whole_of_it() -> None:
    node = MapNode({}, node_of("a").span)
    assert plain(node) == {}
    assert plain(ListNode([node], node.span)) == [{}]
