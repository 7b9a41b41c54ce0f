"""An edit changes what it names; every other character of the file stays as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.reader import Entry, ListNode, MapNode, Node, Scalar
from bylaw.reader.edits import Edit, apply, remove, replace

from .reading import node_of, value_of


def entry_of(text: str, *path: str) -> Entry:
    node: Node = node_of(text)
    for step in path[:-1]:
        assert isinstance(node, MapNode)
        node = node.entries[step].node
    assert isinstance(node, MapNode)
    return node.entries[path[-1]]


REMOVALS = [
    ("a: 1\nb: 2\nc: 3\n", "b", "a: 1\nc: 3\n"),
    ("a: 1\nb: 2", "b", "a: 1\n"),
    ("\na: 1\nb: 2", "a", "\nb: 2"),
    ("a: 1\nb: 2", "a", "b: 2"),
    ("a: 1 # mine\nb: 2\n", "a", "b: 2\n"),
    ("# above\na: 1\n\n# between\nb: 2\n", "a", "# above\n\n# between\nb: 2\n"),
    ("a:\n  - 1\n  - 2\n# of b\nb: 2\n", "a", "# of b\nb: 2\n"),
    ("a:\n- 1\n- 2\nb: 2\n", "a", "b: 2\n"),
    ("a:\n  b:\n    c: 1\n\n\nd: 2\n", "a", "\n\nd: 2\n"),
    ("a: [1,\n    2\n   ]  # mine\nb: 2\n", "a", "b: 2\n"),
    ("a: {x: 1,\n  y: 2}\nb: 2\n", "a", "b: 2\n"),
    ("a: |\n  # text\n  more\nb: 2\n", "a", "b: 2\n"),
    ("a: >-\n  folded\n  text\n# of b\nb: 2\n", "a", "# of b\nb: 2\n"),
    ("a: 'one\n  two'\nb: 2\n", "a", "b: 2\n"),
    ("a: one\n  two\nb: 2\n", "a", "b: 2\n"),
    ("a:\nb: 2\n", "a", "b: 2\n"),
    ("a: &x 1\nb:\n  - 2\n  - *x\nc: *x\n", "b", "a: &x 1\nc: *x\n"),
    ("a: &x {k: 1}\nb:\n  c: 2\n  <<: *x\nd: 3\n", "b", "a: &x {k: 1}\nd: 3\n"),
    ("a: &x [1]\nb: *x # mine\nc: 2\n", "b", "a: &x [1]\nc: 2\n"),
    ("a: 1\r\nb: 2\r\nc: 3\r\n", "b", "a: 1\r\nc: 3\r\n"),
    ("ä: ü\nö: 1\n", "ä", "ö: 1\n"),
    ('"a": 1\nb: 2\n', "a", "b: 2\n"),
    ("? a\n: 1\nb: 2\n", "b", "? a\n: 1\n"),
]


@pytest.mark.parametrize(("text", "key", "left"), REMOVALS, ids=range(len(REMOVALS)))
def test_an_entry_goes_with_its_lines(text: str, key: str, left: str) -> None:
    assert apply(text, [remove(text, entry_of(text, key))]) == left


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("{a: 1, b: 2}", ["a"]),
        ("{a: 1,\n b: 2}", ["b"]),
        ("x: {\n  a: 1, b: 2\n}", ["x", "a"]),
        ("x: {\n  a: 1,\n  b: 2 }", ["x", "b"]),
        ("a: 1\rb: 2\r", ["a"]),
        ("? a\n: 1\nb: 2\n", ["a"]),
    ],
)
def test_an_entry_that_shares_its_line_is_left_alone(text: str, path: list[str]) -> None:
    with pytest.raises(ValueError, match="shares its line with something else"):
        remove(text, entry_of(text, *path))


def test_edits_are_made_together_in_any_order() -> None:
    text = "a: 1\nb: 2\nc: 3\n"
    entries = [entry_of(text, key) for key in "abc"]
    edits = [remove(text, entries[2]), replace(entries[1].node.span, "'two'"), remove(text, entries[0])]
    assert apply(text, edits) == apply(text, reversed(edits)) == "b: 'two'\n"
    assert apply(text, []) == text


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        ([Edit(start=0, end=2, text="x"), Edit(start=2, end=3, text="y")], "xydef"),
        ([Edit(start=1, end=1, text="x"), Edit(start=1, end=2)], "axcdef"),
        ([Edit(start=0, end=3), Edit(start=2, end=4)], None),
        ([Edit(start=0, end=3), Edit(start=0, end=3)], None),
        ([Edit(start=0, end=6), Edit(start=2, end=2, text="x")], None),
    ],
)
def test_edits_that_overlap_are_refused(edits: list[Edit], text: str | None) -> None:
    if text is None:
        with pytest.raises(ValueError, match="edits overlap at character"):
            apply("abcdef", edits)
    else:
        assert apply("abcdef", edits) == text


keys = st.sampled_from(["a", "b", "c", "größe", "k e y", "x-1"])
scalars = st.sampled_from(
    ["1", "text", "'it''s'", '"ü"', "~", "", "two\n  lines", "[1, x]", "[1,\n      2]", "{p: [q]}"]
)
blocks = st.sampled_from(["|\n  # no comment\n  text", ">-\n  folded\n\n  text"])


def indented(text: str, by: int) -> str:
    return text.replace("\n", "\n" + " " * by)


@st.composite
def mapping(draw: st.DrawFn, depth: int = 0) -> str:
    """A block mapping as people write them: comments, blank lines, values in every style."""
    lines = []
    for key in draw(st.lists(keys, min_size=1, max_size=3, unique=True)):
        lines += [f"# above {key}"] * draw(st.integers(0, 1)) + [""] * draw(st.integers(0, 1))
        kind = draw(st.sampled_from(["scalar", "block", "mapping", "list"] if depth < 2 else ["scalar", "block"]))
        behind = draw(st.sampled_from(["", "  # behind"]))
        if kind == "scalar":
            lines.append(f"{key}: {draw(scalars)}{behind}")
        elif kind == "block":
            lines.append(f"{key}: {draw(blocks)}")
        elif kind == "mapping":
            lines.append(f"{key}:{behind}\n  {indented(draw(mapping(depth=depth + 1)), 2)}")
        else:
            items = draw(st.lists(scalars | mapping(depth=2), min_size=1, max_size=2))
            lines.append(f"{key}:{behind}\n" + "\n".join(f"- {indented(item, 2)}" for item in items))
    return "\n".join(lines)


def entries(node: Node, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Entry]]:
    """Every entry of a block mapping below a node, with the way to it."""
    found: list[tuple[tuple[str | int, ...], Entry]] = []
    if isinstance(node, MapNode):
        for key, entry in node.entries.items():
            found += [((*path, key), entry), *entries(entry.node, (*path, key))]
    elif isinstance(node, ListNode):
        for index, item in enumerate(node.items):
            found += entries(item, (*path, index))
    return found


def without(value: Any, path: tuple[str | int, ...]) -> Any:
    """The same data minus one key; a mapping that loses its last key is empty, which YAML writes as nothing."""
    step, *rest = path
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copy[step] = without(copy[step], tuple(rest))
    else:
        del copy[step]
    return copy or None


def put(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], new)
    return copy


@settings(deadline=None, max_examples=250)
@given(text=mapping(), data=st.data())
def test_what_is_removed_is_gone_and_the_rest_is_as_it_was(text: str, data: st.DataObject) -> None:
    text += "\n"
    node = node_of(text)
    path, entry = data.draw(st.sampled_from(entries(node)))
    try:
        edit = remove(text, entry)
    except ValueError:
        line = text[: entry.where.start].rsplit("\n", 1)[-1]
        assert line.strip(), "only an entry behind a dash or in braces shares its line"
        return
    left = apply(text, [edit])
    assert left == text[: edit.start] + text[edit.end :]
    assert text[edit.start : edit.end].lstrip(" ").startswith(entry.key)
    assert left.count("# above") == text.count("# above") - text[edit.start : edit.end].count("# above")
    expected = without(value_of(text), path)
    if expected is not None:
        assert value_of(left) == expected


@settings(deadline=None, max_examples=150)
@given(text=mapping(), data=st.data())
def test_what_is_replaced_is_new_and_the_rest_is_as_it_was(text: str, data: st.DataObject) -> None:
    node = node_of(text + "\n")
    leaves = [
        (path, entry)
        for path, entry in entries(node)
        if isinstance(entry.node, Scalar) and entry.node.quoted not in ("|", ">") and entry.node.value is not None
    ]
    if not leaves:
        return
    path, entry = data.draw(st.sampled_from(leaves))
    span = entry.node.span
    left = apply(text, [replace(span, "'new'")])
    assert left == text[: span.start] + "'new'" + text[span.end :]
    assert value_of(left) == put(value_of(text), path, "new")
