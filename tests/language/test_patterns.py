"""A pattern in a file is compiled where it is read, and what is likely wrong with it is said at its place."""

from __future__ import annotations

import pytest

from bylaw.errors import Diagnostic
from bylaw.language.patterns import PatternShape
from bylaw.language.regex import Pattern, RegexLimit
from bylaw.reader import Bad, Problems, parse

LOOKS_BACK = r"'(a+)+\1$'"


def read(text: str, *, dotall: bool = False) -> tuple[Pattern | Bad, tuple[Diagnostic, ...]]:
    problems = Problems()
    node = parse(text, file="f.yaml", problems=problems)
    assert node is not None
    return PatternShape(dotall=dotall).read(node, problems), problems.all


def test_a_pattern_is_compiled() -> None:
    pattern, said = read(r"'rm\s+-rf'")
    assert said == ()
    assert isinstance(pattern, Pattern)
    assert pattern.search("sudo rm  -rf /")
    assert not pattern.search("rmdir")


@pytest.mark.parametrize(("dotall", "found"), [(False, False), (True, True)])
def test_a_dot_spans_lines_where_the_format_says_so(dotall: bool, found: bool) -> None:
    pattern, _ = read("a.b", dotall=dotall)
    assert isinstance(pattern, Pattern)
    assert pattern.search("a\nb") is found


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        ("'('", "bad-regex", "`(` is not a regular expression: "),
        ("'a{2,1}'", "bad-regex", "`a{2,1}` is not a regular expression: "),
        (r"'\y'", "bad-regex", r"`\y` is not a regular expression: "),
        ("'*'", "bad-regex", "`*` is not a regular expression: "),
        (f"'{'(' * 5000}'", "bad-regex", "`(((("),
        ("1", "wrong-type", "this is a number; it must be a regular expression"),
        ("[a]", "wrong-type", "this is a list; it must be a regular expression"),
        ("~", "wrong-type", "this is empty; it must be a regular expression"),
    ],
)
def test_what_is_no_pattern_is_refused(text: str, code: str, start: str) -> None:
    pattern, (said,) = read(text)
    assert isinstance(pattern, Bad)
    assert (said.code, said.level) == (code, "error")
    assert said.message.startswith(start)


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        (r"'\\bssn\\b'", True),
        (r"\\d+", True),
        (r'"\\bssn\\b"', False),
        (r"'\bssn\b'", False),
        (r"'C:\\Users'", False),
        ("'plain'", False),
    ],
)
def test_a_doubled_backslash_outside_double_quotes_is_a_warning(text: str, warned: bool) -> None:
    pattern, said = read(text)
    assert isinstance(pattern, Pattern)
    assert [(one.code, one.level) for one in said] == ([("double-escaped", "warning")] if warned else [])
    if warned:
        assert pattern.source.replace("\\\\", "\\") in said[0].hint


def test_a_pattern_that_only_short_texts_can_be_put_to_is_a_warning() -> None:
    pattern, (said,) = read(LOOKS_BACK)
    assert isinstance(pattern, Pattern)
    assert (said.code, said.level) == ("slow-regex", "warning")
    assert pattern.limit is not None
    assert str(pattern.limit) in said.message
    with pytest.raises(RegexLimit):
        pattern.search("a" * (pattern.limit + 1))


def test_editors_know_it_for_a_pattern() -> None:
    assert PatternShape().schema() == {"type": "string", "format": "regex"}
