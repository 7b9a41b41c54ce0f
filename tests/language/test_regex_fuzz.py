"""The RE2 road against `re` itself, on random patterns and the texts that are likeliest to tell them apart."""

import re
import warnings

from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from bylaw.language.regex import RegexLimit, compile_pattern
from bylaw.language.regex.cost import search_cost
from bylaw.language.regex.linear import is_linear, linear_search
from bylaw.language.regex.nodes import Node
from bylaw.language.regex.tree import parse

NASTY = (
    "aAbBkKsSiIzZ019_ -.\t\n\r\v\f\x00\x1c\x1f\x7f\x80\x85\xa0éÉ²½ßẞ"
    "\N{LATIN SMALL LETTER LONG S}\N{KELVIN SIGN}"
    "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}\N{LATIN SMALL LETTER DOTLESS I}"
    "\N{MICRO SIGN}\N{GREEK CAPITAL LETTER MU}\N{GREEK SMALL LETTER MU}"
    "\N{GREEK SMALL LETTER SIGMA}\N{GREEK SMALL LETTER FINAL SIGMA}"
    "\N{ARABIC-INDIC DIGIT THREE}\N{MATHEMATICAL DOUBLE-STRUCK DIGIT ZERO}\N{SMALL ROMAN NUMERAL EIGHT}"
    "\N{LINE SEPARATOR}\N{ZERO WIDTH JOINER}\ud800\udfff\N{LATIN CAPITAL LETTER D WITH SMALL LETTER Z WITH CARON}"
    "\N{DESERET CAPITAL LETTER LONG I}\N{DESERET SMALL LETTER LONG I}\N{GRINNING FACE}"
)
ESCAPED = {"-": r"\-", ".": r"\.", " ": r"[ ]", "\t": r"\t", "\n": r"\n", "\r": r"\r", "\v": r"\v", "\f": r"\f"}
"""What would mean something else in a pattern, or nothing in a verbose one."""

FLAGS = "imsax"
ANCHORS = ("^", "$", r"\A", r"\Z", r"\b", r"\B")
CATEGORIES = (r"\d", r"\D", r"\w", r"\W", r"\s", r"\S")
REPEATS = ("*", "+", "?", "{2}", "{,2}", "{1,}", "{0,3}", "{2,5}", "{0}", "{1,1}")

texts = st.text(alphabet=NASTY, max_size=14)
literals = st.sampled_from(NASTY).map(lambda character: ESCAPED.get(character, character))
ranges = st.tuples(st.sampled_from(NASTY), st.sampled_from(NASTY)).map(
    lambda pair: "-".join(ESCAPED.get(character, character) for character in sorted(pair)).replace("[ ]", " ")
)
members = st.one_of(literals.map(lambda literal: literal.replace("[ ]", " ")), ranges, st.sampled_from(CATEGORIES))
classes = st.tuples(st.sampled_from(("", "^")), st.lists(members, min_size=1, max_size=4)).map(
    lambda parts: f"[{parts[0]}{''.join(parts[1])}]"
)
scopes = st.sets(st.sampled_from(FLAGS), max_size=2).map(lambda flags: "".join(sorted(flags)))
removed = st.sampled_from(("", "", "-i", "-m", "-s", "-x"))
leaves = st.one_of(
    literals, literals, classes, st.sampled_from(CATEGORIES), st.sampled_from(ANCHORS), st.sampled_from((".", ""))
)


def _grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        inner.map(lambda body: f"(?:{body})"),
        inner.map(lambda body: f"({body})"),
        st.tuples(scopes, removed, inner).map(lambda parts: f"(?{parts[0]}{parts[1]}:{parts[2]})"),
    )


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeats = st.tuples(
        st.one_of(_grouped(inner), literals, classes, st.just(".")),
        st.sampled_from(REPEATS),
        st.sampled_from(("", "?")),
    )
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda options: f"(?:{'|'.join(options)})"),
        repeats.map("".join),
        _grouped(inner),
    )


def _beyond_re2(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(st.sampled_from(("(?=", "(?!", "(?<=", "(?<!", "(?>")), inner).map(lambda p: f"{p[0]}{p[1]})"),
        inner.map(lambda body: f"(?:{body})*+"),
        inner.map(lambda body: f"({body})\\1"),
        st.tuples(inner, inner).map(lambda parts: f"({parts[0]})?(?(1){parts[1]}|b)"),
    )


patterns = st.tuples(scopes, st.recursive(leaves, _larger, max_leaves=10)).map(
    lambda parts: f"(?{parts[0]}){parts[1]}" if parts[0] else parts[1]
)
any_patterns = st.recursive(patterns, lambda inner: st.one_of(_beyond_re2(inner), _larger(inner)), max_leaves=3)
"""Patterns with the constructs that only `re` has, too."""

SECOND = 1e9


def compiled(source: str) -> re.Pattern[str]:
    """The pattern as `re` compiles it; an example that it rejects is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(source)
        except (re.error, OverflowError):
            reject()


def tree(source: str) -> Node:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse(source, 0)


@settings(max_examples=500, deadline=None)
@given(patterns, texts)
def test_re2_says_what_re_says(source: str, text: str) -> None:
    expected, parsed = compiled(source), tree(source)
    linear = linear_search(parsed, flags=expected.flags)
    assume(linear is not None and search_cost(parsed).longest(SECOND) >= len(text))
    answer = linear.search(text) if linear else None
    assert answer is None or answer == (expected.search(text) is not None)


@settings(max_examples=200, deadline=None)
@given(any_patterns, texts)
def test_a_pattern_says_what_re_says_or_nothing(source: str, text: str) -> None:
    expected, cost = compiled(source), search_cost(tree(source))
    assert all(bound.at(len(text)) <= bound.at(len(text) + 1) for bound in cost.bounds)
    assume(cost.longest(SECOND) >= len(text))
    pattern = compile_pattern(source)
    try:
        found = expected.search(text) is not None
    except SystemError:
        reject()  # a mistake of `re` itself
    assert found or not pattern.matches_empty
    try:
        assert pattern.search(text) == found
    except RegexLimit:
        assert pattern.engine != "re"


def test_the_patterns_are_of_both_kinds() -> None:
    """The fuzzing above looks at something: most patterns are RE2's, and some are not."""
    seen = {True: 0, False: 0}

    @settings(max_examples=150, deadline=None, database=None, derandomize=True)
    @given(any_patterns)
    def look(source: str) -> None:
        compiled(source)
        seen[is_linear(tree(source))] += 1

    look()
    assert seen[True] > 30
    assert seen[False] > 15
