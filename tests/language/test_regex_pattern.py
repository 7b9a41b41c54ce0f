"""Patterns as the rest of the language uses them."""

import re

import pytest

from bylaw.language.regex import PatternError, RegexLimit, compile_pattern

CHEAP = [r"rm -rf", r"\bDROP\s+TABLE\b", r"\d{3}-\d{2}-\d{4}", r"^/etc/", r"(?<!\w)root(?!\w)"]
TWO_ROADS = [
    r"\s+$",
    r"(a+)+$",
    r"\w+@\w+\.com",
    r"(?i)ignore.*previous",
    r"(?s)<script.*?>.*?</script>",
    r"(?m)^(?:\w+\s)+$",
    r"\b(?:\d[ -]*?){13,16}\b",
    r"(?a)\B(?:\W|\S)*ü",
    r"[^\d\s]{,2}(?:a|b|)*c",
    r"password.{0,100}=",
]
LIMITED = [r"(\w+) \1", r".*(?=secret)x", r"(?:(?!end).)*begin", r"(?:a+)+(?<!b)$"]
LONG = 1_000_000


@pytest.mark.parametrize("source", CHEAP)
def test_a_cheap_pattern_has_re_for_any_text(source: str) -> None:
    pattern = compile_pattern(source)
    assert (pattern.engine, pattern.limit) == ("re", None)
    assert not pattern.search("-" * LONG)


@pytest.mark.parametrize("source", TWO_ROADS)
def test_a_dear_pattern_has_re2_for_long_texts(source: str) -> None:
    pattern = compile_pattern(source)
    assert pattern.engine == "re2"
    assert pattern.limit is not None
    assert pattern.limit > LONG
    assert not pattern.search("-" * LONG + "!")
    assert not pattern.search("é" * LONG + "!")


@pytest.mark.parametrize("source", LIMITED)
def test_a_pattern_that_only_re_knows_is_limited(source: str) -> None:
    pattern = compile_pattern(source)
    assert pattern.engine == "limited"
    assert pattern.limit is not None
    assert not pattern.search("-" * pattern.limit)
    with pytest.raises(RegexLimit, match="can't be judged on a text of"):
        pattern.search("-" * (pattern.limit + 1))


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        (r"(a+)+$", "a" * 30 + "!", False),
        (r"(a+)+$", "!" + "a" * 30, True),
        (r"\s+$", " " * LONG + "x", False),
        (r"\s+$", " " * LONG, True),
        (r"\s+$", "x\n" * LONG, True),
        (r"\w+@\w+\.com", "-" * 10 * LONG + "me@example.com", True),
        (r"(?i)ignore.*previous", "é\n" * LONG + "İGNORE all PREVIOUS", True),
        (r"(?i)ignore.*previous", "ignore é\n" * 100_000 + "previous", False),
        (r"\bcafé+\b$", "x" * LONG + " café", True),
        (r"\bcafé+\b$", "x" * LONG + "café", False),
        (r"[\u0430-\u044f]+\s*ok", "-" * LONG + "\u0434\u0430  ok", True),
    ],
)
def test_the_whole_of_a_long_text_is_searched(source: str, text: str, found: bool) -> None:
    assert compile_pattern(source).search(text) == found


def test_a_text_of_too_many_kinds_of_letter_is_left_to_re() -> None:
    letters = (
        "".join(map(chr, range(0x3B1, 0x3B1 + 17)))
        + "".join(map(chr, range(0x430, 0x450)))
        + "אבגדהוזחטיכלמנסעפצקרשת"
    )
    source = r"\b.*(?:" + "|".join(f"{letter}{letter}!" for letter in letters) + r")\b"
    pattern = compile_pattern(source)
    assert pattern.engine == "re2"
    assert pattern.search("a " + letters[:20] * 2 + letters[0] * 2 + "!a")
    with pytest.raises(RegexLimit):
        pattern.search(letters * 10_000)


def test_re2_has_a_limit_for_patterns_that_grow_when_written_out() -> None:
    pattern = compile_pattern(r"[ab]*a(?:[ab][ab]?){400}c")
    assert pattern.engine == "re2"
    assert pattern.limit is not None
    with pytest.raises(RegexLimit):
        pattern.search("a" * (pattern.limit + 1))


def test_a_mistake_of_re_itself_is_no_answer() -> None:
    source, text = r"((?:(aa)+?|.$|\w*))++", "aab"
    try:
        re.search(source, text)
    except SystemError:
        with pytest.raises(RegexLimit):
            compile_pattern(source).search(text)
    else:
        assert compile_pattern(source).search(text)


def test_dotall_lets_a_dot_match_a_newline() -> None:
    assert not compile_pattern(r"a.b").search("a\nb")
    assert compile_pattern(r"a.b", dotall=True).search("a\nb")
    assert compile_pattern(r"a.+b", dotall=True).search("a" + "\n" * LONG + "b")
    assert not compile_pattern(r"a.+b").search("a" + "\n" * LONG + "b")


@pytest.mark.parametrize(
    ("source", "message", "position"),
    [
        ("(a", "missing ), unterminated subpattern", 0),
        ("a)", "unbalanced parenthesis", 1),
        ("[a", "unterminated character set", 0),
        ("*a", "nothing to repeat", 0),
        (r"\p{L}", r"bad escape \p", 0),
        ("a(?i)", "global flags not at the start of the expression", 1),
        ("(?<=a+)b", "look-behind requires fixed-width pattern", None),
        ("a{99999999999}", "the repetition number is too large", None),
        ("(?L)a", "bad inline flags: cannot use 'L' flag with a str pattern", 3),
        ("(?:" * 2000 + ")" * 2000, "its groups are nested too deeply", None),
    ],
)
def test_what_re_rejects_is_an_error_with_a_place(source: str, message: str, position: int | None) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(source)
    assert str(caught.value) == message
    assert caught.value.position == position


@pytest.mark.parametrize(
    "source", ["", "a*", "a?b*", "^", "$", "^a*", "a*$", "x|", r"(?:\s*)+", "(?!x)", "(?<!x)y?", "a*+"]
)
def test_a_pattern_that_is_found_in_every_text(source: str) -> None:
    assert compile_pattern(source).matches_empty
    assert all(re.search(source, text) for text in ("", "a", "x", "\n", " xx "))


@pytest.mark.parametrize("source", ["a", "a+", "^$", r"^\s*$", r"\b", "(?=x)", r"(a?)\1b", "(?!)", "(?>a|)^", "[^a]"])
def test_a_pattern_that_some_texts_lack(source: str) -> None:
    assert not compile_pattern(source).matches_empty
    assert not all(re.search(source, text) for text in ("", "a", "x", "\n", " xx "))


def test_a_warning_of_the_parser_is_no_error() -> None:
    assert compile_pattern("[[:alpha:]]").search("a]")


def test_a_pattern_shows_its_source() -> None:
    pattern = compile_pattern(r"\d+")
    assert pattern.source == r"\d+"
    assert repr(pattern) == r"<Pattern '\\d+'>"
