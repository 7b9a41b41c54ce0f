"""What reviewers see in an editor or a diff is what the file says."""

from __future__ import annotations

import pytest

from bylaw.reader import plain

from .reading import brief, parsed, value_of

ODD_BREAKS = ["\x85", "\u2028", "\u2029"]
INVISIBLE = [
    *(chr(code) for code in range(0x200B, 0x2010)),
    *(chr(code) for code in range(0x202A, 0x202F)),
    *(chr(code) for code in range(0x2060, 0x2065)),
    *(chr(code) for code in range(0x2066, 0x206A)),
    "\ufeff",
]


def named(characters: list[str]) -> list[str]:
    return [f"U+{ord(character):04X}" for character in characters]


@pytest.mark.parametrize("odd", ODD_BREAKS, ids=named(ODD_BREAKS))
def test_a_line_that_only_yaml_ends_hides_no_key(odd: str) -> None:
    node, said = parsed(f"tool: t\nid: a # note{odd}mode: observe\n")
    assert brief(said) == [("odd-line-break", "2:13")]
    assert said[0].level == "error"
    assert said[0].message == f"U+{ord(odd):04X} ends a line in YAML, and in no editor or diff"
    assert said[0].hint == f"remove it, or write it as `\\u{ord(odd):04x}` in double quotes"
    assert node is not None
    assert plain(node) == {"tool": "t", "id": "a"}


@pytest.mark.parametrize("text", ['a: "b{}c"', "a: 'b{}c'", "a: b{}c", "a: |\n  b{}c", "a: 1\n{}", "# b{}c\na: 1"])
def test_wherever_it_stands_it_is_an_error(text: str) -> None:
    assert [said.code for said in parsed(text.format("\u2028"))[1]] == ["odd-line-break"]


def test_what_comes_after_it_is_told_where_an_editor_shows_it() -> None:
    _, said = parsed("a: 'x\u2028y'\nb: yes\n")
    assert brief(said) == [("odd-line-break", "1:6"), ("ambiguous-scalar", "2:4")]


@pytest.mark.parametrize("hidden", INVISIBLE, ids=named(INVISIBLE))
def test_what_nobody_sees_is_told(hidden: str) -> None:
    node, said = parsed(f"a: 1\nb: x{hidden}y\n")
    assert brief(said) == [("invisible-character", "2:5")]
    assert said[0].level == "warning"
    assert said[0].message == f"U+{ord(hidden):04X} stands here, which nobody sees"
    assert node is not None
    assert plain(node) == {"a": 1, "b": f"x{hidden}y"}


def test_escaped_in_double_quotes_they_are_meant() -> None:
    assert value_of(r'a: "\u2028\u2029\x85\N\L\P\u200b\u202e\ufeff"') == {
        "a": "\u2028\u2029\x85\x85\u2028\u2029\u200b\u202e\ufeff"
    }


def test_a_byte_order_mark_at_the_beginning_is_fine() -> None:
    assert value_of("\ufeffa: 1") == {"a": 1}


def test_a_page_of_them_is_told_a_line_each_and_not_for_ever() -> None:
    assert brief(parsed("a: x\u200by\u200bz\nb: \u200c1\n")[1]) == [
        ("invisible-character", "1:5"),
        ("invisible-character", "2:4"),
    ]
    assert len(parsed("# \u2028\u200b\n" * 1000 + "a: 1")[1]) == 40
