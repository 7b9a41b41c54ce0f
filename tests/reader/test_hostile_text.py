"""Texts that break readers: each is told once, at its place, and none takes the process down."""

from __future__ import annotations

import pytest

from bylaw.reader import Limits

from .reading import brief, parsed, value_of

DEEP = 100_000


def laughs(levels: int = 9, each: int = 9) -> str:
    """Nine aliases of nine aliases of nine …"""
    lines = ["a0: &a0 lol"]
    for level in range(1, levels + 1):
        aliases = ", ".join([f"*a{level - 1}"] * each)
        lines.append(f"a{level}: &a{level} [{aliases}]")
    return "\n".join(lines)


def ladder(rungs: int) -> str:
    """Each anchor holds the one before, sixty levels further down: deep only once the aliases are written out."""
    lines = ["a0: &a0 [x]"]
    lines += [f"a{rung}: &a{rung} {'[' * 60}*a{rung - 1}{']' * 60}" for rung in range(1, rungs + 1)]
    return "\n".join(lines)


HOSTILE = [
    # what, text, code, line:column
    ("nested brackets", "[" * DEEP, "too-deep", "1:65"),
    ("nested braces", "{" * DEEP, "too-deep", "1:65"),
    ("nested dashes", "- " * DEEP, "too-deep", "1:129"),
    ("nested keys", "? " * DEEP, "too-deep", "1:129"),
    ("nested flow mappings", "{a: " * DEEP, "too-deep", "1:257"),
    ("closed brackets", "x: " + "[" * 200 + "]" * 200, "too-deep", "1:67"),
    ("depth by indentation", "".join(f"{' ' * n}a:\n" for n in range(70)), "too-deep", "65:65"),
    ("depth by aliases", ladder(3), "too-deep", "3:69"),
    ("an alias bomb", laughs(), "too-large", "7:15"),
    ("an alias that contains itself", "a: &a [1, *a]", "endless-alias", "1:11"),
    ("a mapping that contains itself", "a: &a\n  b:\n    c: *a", "endless-alias", "3:8"),
    ("an alias of nothing", "a: 1\nb: *c", "unknown-alias", "2:4"),
    ("an alias before its anchor", "a: *b\nb: &b 1", "unknown-alias", "1:4"),
    ("a control character", "a: 1\nb: \x01", "yaml-syntax", "2:4"),
    ("one behind other characters", "ä: 1\nöü: é\x07", "yaml-syntax", "2:6"),
    ("a NUL", "a\x00", "yaml-syntax", "1:2"),
    ("a delete", "a: \x7f", "yaml-syntax", "1:4"),
    ("half a character", "ä: 1\nb: ö\ud83d", "yaml-syntax", "2:5"),
    ("a tab for indentation", "a:\n\tb: 1", "yaml-syntax", "2:1"),
    ("an open quote", 'a: "b', "yaml-syntax", "1:6"),
    ("an open bracket", "a: [1, 2\nb: 3\n", "yaml-syntax", "2:2"),
    ("a stray colon", "a: b: c", "yaml-syntax", "1:5"),
    ("an unreadable key", "a: 1\nb\nc: 2", "yaml-syntax", "3:1"),
    ("a key at the wrong depth", "a:\n    b: 1\n  c: 2", "yaml-syntax", "3:3"),
    ("an unknown escape", 'a: "\\d+"', "yaml-syntax", "1:5"),
    ("a reserved mark", "a: @b", "yaml-syntax", "1:4"),
    ("a broken directive", "%YAML x\n---\na: 1", "yaml-syntax", "1:7"),
    ("two documents", "a: 1\n---\nb: 2", "several-documents", "2:1"),
    ("two documents, the first empty", "---\n---\na: 1", "several-documents", "2:1"),
    ("a tag", "a: !!python/object:os.system 'x'", "tag", "1:4"),
    ("a tag on a list", "a: !!set {b, c}", "tag", "1:4"),
    ("a local tag", "a: !secret b", "tag", "1:4"),
    ("a duplicate key", "a: 1\nb: 2\na: 3", "duplicate-key", "3:1"),
    ("a duplicate key in braces", "{a: 1, 'a': 2}", "duplicate-key", "1:8"),
    ("two merges in one mapping", "a: &a {x: 1}\nb: {<<: *a, <<: *a}", "duplicate-key", "2:13"),
    ("an alias of nothing and nothing else", "*a", "unknown-alias", "1:1"),
    ("an alias of nothing for a key", "*a : 1", "unknown-alias", "1:1"),
    ("a number for a key", "a:\n  1: 2", "key-not-text", "2:3"),
    ("null for a key", "~: 2", "key-not-text", "1:1"),
    ("no key at all", "?\n: 2", "key-not-text", "1:2"),
    ("a truth for a key", "true: 2", "key-not-text", "1:1"),
    ("a list for a key", "? [a, b]\n: 1", "key-not-text", "1:3"),
    ("a mapping for a key", "? {a: b}\n: 1", "key-not-text", "1:3"),
    ("a switch for a key", "on: push", "ambiguous-scalar", "1:1"),
    ("a merge of a number", "a: 1\n<<: 2", "bad-merge", "2:5"),
    ("a merge of a list of numbers", "a: 1\n<<: [{b: 1}, 2]", "bad-merge", "2:14"),
    ("a merge of an alias of text", "a: &a x\nb:\n  <<: *a", "bad-merge", "3:7"),
    ("nothing", "", "empty-file", "1:1"),
    ("a comment", "# nothing yet\n", "empty-file", "1:1"),
    ("blanks", " \n\n  \n", "empty-file", "1:1"),
    ("a byte order mark", "\ufeff", "empty-file", "1:1"),
]


@pytest.mark.parametrize(
    ("text", "code", "place"), [row[1:] for row in HOSTILE], ids=[row[0].replace(" ", "-") for row in HOSTILE]
)
def test_hostile_text_is_told_once_at_its_place(text: str, code: str, place: str) -> None:
    _, said = parsed(text)
    assert brief(said) == [(code, place)]
    assert said[0].where.file == "f.yaml"
    assert said[0].level == "error"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a:\n\tb: 1", "indent with spaces, not tabs"),
        ("a: b: c", "check the indentation and quotes on this line and the one before"),
        ("a: 1\na: 2", "keep one"),
        ("a: {<<: {}, <<: {}}", "merge a list of mappings: `<<: [*a, *b]`"),
        ("1: 2", "quote it"),
        ("a: !x b", "remove it: plain values say what they are"),
        ("a: 1\n---\nb: 2", "one document per file"),
        (laughs(), "use fewer aliases of aliases, or split the file"),
        ("[" * 100, "flatten the document"),
    ],
)
def test_what_to_do_next_is_said(text: str, hint: str) -> None:
    _, (said,) = parsed(text)
    assert said.hint == hint


def test_all_mistakes_are_told_at_once() -> None:
    text = "\n".join(
        [
            "a: yes",
            "a: 2",
            "b: *nobody",
            "3: c",
            "d: !!str x",
            "e: {<<: 1, f: 012}",
            "f: &f [1]",
            "g: {<<: *f}",
        ]
    )
    node, said = parsed(text)
    assert brief(said) == [
        ("ambiguous-scalar", "1:4"),
        ("duplicate-key", "2:1"),
        ("unknown-alias", "3:4"),
        ("key-not-text", "4:1"),
        ("tag", "5:4"),
        ("ambiguous-scalar", "6:15"),
        ("bad-merge", "6:9"),
        ("bad-merge", "7:8"),
    ]
    assert node is not None


def test_depth_and_size_are_counted_exactly() -> None:
    limits = Limits(depth=3, nodes=6)
    assert parsed("[[[1]]]", limits=limits)[1] == ()
    assert brief(parsed("[[[[]]]]", limits=limits)[1]) == [("too-deep", "1:4")]
    assert parsed("[1, 2, 3, 4, 5]", limits=limits)[1] == ()
    assert parsed("[[1, 2], [3]]", limits=limits)[1] == ()
    assert brief(parsed("[1, 2, 3, 4, 5, 6]", limits=limits)[1]) == [("too-large", "1:17")]
    assert parsed("[&a [1], *a]", limits=limits)[1] == ()
    assert brief(parsed("[&a [1], *a, *a]", limits=limits)[1]) == [("too-large", "1:14")]
    assert parsed("[&a [1], [*a]]", limits=Limits(depth=3))[1] == ()
    assert brief(parsed("[&a [1], [*a]]", limits=Limits(depth=2))[1]) == [("too-deep", "1:11")]


def test_a_large_honest_file_is_within_the_limits() -> None:
    rule = "- {id: r, when: {all: [{args.path: {contains: /etc}}, {principal.role: {in: [a, b, c]}}]}}\n"
    assert len(value_of(rule * 5000)) == 5000
