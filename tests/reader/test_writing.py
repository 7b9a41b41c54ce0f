"""What is written is read back as the same data, without a word of complaint."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.reader.writing import write

from .reading import value_of

TRAPS = [
    "", " ", "yes", "No", "on", "null", "~", "true", "1", "1.5", "1e5", "0x1f", "0o7", "08", "1_000", "12:30:45",
    ".inf", "2024-01-01", "<<", "=", "- a", "a: b", "a #b", "#a", "[a]", "{a}", "a, b", "&a", "*a", "!a", "|", ">",
    "'a'", '"a"', "%a", "@a", "`a`", "a\nb", "a\n", "\n", "\t", "\r\n", "\x00", "\x7f", "\x85", "\u2028", "\ufeff",
    "\uffff", "ü", "😀", "\\", "a\\", "a:", ":a", "?", "? a", "-", "--- a", "...", "$.a[0]", "$['a.b']", "a b",
    "a ", " a",
]  # fmt: skip

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(TRAPS)
keys = texts.filter(lambda key: not key.startswith("\0"))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
data: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


def same(left: Any, right: Any) -> bool:
    """Equal, and of the same types all the way down, in the same order."""
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and bool(left == right)


@settings(deadline=None, max_examples=500)
@given(value=st.lists(data, max_size=4) | st.dictionaries(keys, data, max_size=4))
def test_what_is_written_is_read_back(value: Any) -> None:
    assert same(value_of(write(value)), value)


@pytest.mark.parametrize("word", TRAPS, ids=range(len(TRAPS)))
def test_a_word_that_means_something_else_stays_text(word: str) -> None:
    assert value_of(write([word, [word], {"k": word}])) == [word, [word], {"k": word}]


def test_a_key_longer_than_yaml_looks_for_one_is_read_back() -> None:
    value = {"k" * 5_000: {"a": 1, "b": [1, 2]}, "j" * 5_000: "text", "i" * 2_000: [{"x": 1}, {"y": 2}]}
    assert value_of(write(value)) == value


def test_it_looks_as_people_write_it() -> None:
    value = {
        "tool": "deploy",
        "expected": [{"name": "deploy", "all": [{"path": "$.list[0]", "one_of": ["a", "b", 1, None, "yes"]}]}],
        "none": [],
        "empty": {},
        "nested": [[1, 2], [[]]],
    }
    assert write(value) == (
        "tool: deploy\n"
        "expected:\n"
        "  - name: deploy\n"
        "    all:\n"
        "      - path: $.list[0]\n"
        '        one_of: [a, b, 1, null, "yes"]\n'
        "none: []\n"
        "empty: {}\n"
        "nested:\n"
        "  - [1, 2]\n"
        "  - - []\n"
    )


def test_a_long_list_has_a_line_for_each() -> None:
    value = {"one_of": [f"member_{number}" for number in range(20)]}
    assert write(value).splitlines()[:3] == ["one_of:", "  - member_0", "  - member_1"]
    assert value_of(write(value)) == value


@pytest.mark.parametrize(
    "value",
    [{"a": float("nan")}, {"a": float("inf")}, [10**500], ["\ud800"], {1: 2}, {"\0a": 1}, [object()], "text", None],
    ids=range(9),
)
def test_what_no_file_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"can't be|holds a mapping"):
        write(value)
