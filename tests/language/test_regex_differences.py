"""Where RE2 and `re` are known to disagree, this package says what `re` says."""

import re

import pytest

from bylaw.language.regex import compile_pattern
from bylaw.language.regex.linear import linear_search
from bylaw.language.regex.tree import parse

DIFFERENCES = [
    ("plain $ stands before a final newline", r"a+$", "a\n", True),
    ("plain $ stands before no other newline", r"a+$", "a\nb", False),
    ("plain $ stands before only one final newline", r"a+$", "a\n\n", False),
    ("plain $ leaves the final newline to what follows", r"a+$\n\Z", "a\n", True),
    ("a dot before plain $ does not match the newline", r"a.$", "a\n", False),
    ("a class that holds the newline matches any of them", r"a\s+b+$", "a\n\nb\n", True),
    (r"\Z is the very end", r"a+\Z", "a\n", False),
    ("multi-line $ stands before every newline", r"(?m)a+$", "a\nb", True),
    ("multi-line ^ stands after a final newline", r"(?m)\n+^\Z", "a\n", True),
    (r"\d has the digits of every script", r"\d+x", "٣x", True),
    (r"\d under (?a) has ten", r"(?a)\d+x", "٣x", False),
    (r"\w has the letters of every script", r"\w+!", "é!", True),
    (r"\s has the blanks of every script", r"a\s+b", "a\u2003b", True),
    (r"\s has the separators of ASCII", r"a\s+b", "a\x1cb", True),
    (r"\s has the vertical tab", r"a\s+b", "a\vb", True),
    (r"\v is the vertical tab", r"a\v+b", "a\vb", True),
    (r"\v is nothing else", r"a\v+b", "a\nb", False),
    (r"\b sees letters of every script", r"\be+", "ée", False),
    (r"\b under (?a) sees ASCII", r"(?a)\be+", "ée", True),
    (r"\b next to a letter the pattern names", r"\bé+\b", "xé", False),
    (r"\B between letters of other scripts", r"é+\B", "éé", True),
    ("{,2} starts at none", r"^a{,2}b*$", "b", True),
    ("{,2} ends at two", r"^a{,2}b*$", "aaa", False),
    ("{,} is any number", r"^a{,}$", "aaa", True),
    ("a POSIX class is a set and a bracket", r"[[:alpha:]]+", "a", False),
    ("a POSIX class, read as Python reads it", r"[[:alpha:]]+", "a]", True),
    ("a lone surrogate is a character", r"a.+b", "a\ud800b", True),
    ("a lone surrogate can be named", "\ud800+b", "a\ud800b", True),
    ("a lone surrogate is no word character", r"a\b.+", "a\ud800", True),
    ("case folds beyond ASCII", r"(?i)k+x", "\u212ax", True),
    ("case folds to ASCII only under (?a)", r"(?ai)k+x", "\u212ax", False),
    ("case folds the long s", r"(?i)[r-t]+x", "\u017fx", True),
    ("case folds no sharp s", r"(?i)ss+x", "ßx", False),
    ("NUL is a character", r"a\x00+b", "a\x00b", True),
    ("an octal escape is a character", r"a\012+b", "a\nb", True),
    ("a character beyond the first plane is one character", r"^.{1,3}$", "😀😀😀", True),
    ("a class of them", r"[😀-😂]+x", "😁x", True),
    ("an empty option matches", r"(?:a|)+b", "b", True),
    ("a repeated anchor", r"(?:^)*a+", "ba", True),
]
ONLY_RE = [
    ("look-ahead", r"a+(?=b)", "aab", True),
    ("negative look-ahead", r"a+(?!a|b)", "aab", False),
    ("look-behind", r"(?<=x)a+", "xa", True),
    ("negative look-behind", r"(?<!x)a+", "xa", False),
    ("back-reference", r"(\w+) \1", "go go", True),
    ("back-reference that ignores case", r"(?i)(\w+) \1", "go GO", True),
    ("condition", r"(a)?b+(?(1)c|d)", "bbd", True),
    ("atomic group", r"(?>a+)ab", "aaab", False),
    ("possessive repeat", r"a++ab", "aaab", False),
    ("plain $ beside a multi-line one", r"a$|(?m:b+$)", "b\nc", True),
    ("more repeats than RE2 has", r"(?:ab){0,1001}c", "ababc", True),
]


@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
@pytest.mark.parametrize(
    ("source", "text", "found"), [row[1:] for row in DIFFERENCES], ids=[row[0] for row in DIFFERENCES]
)
def test_re2_is_asked_what_re_would_be(source: str, text: str, found: bool) -> None:
    compiled = re.compile(source)
    linear = linear_search(parse(source, 0), flags=compiled.flags)
    assert linear is not None
    assert (compiled.search(text) is not None) == found
    assert linear.search(text) == found
    assert compile_pattern(source).search(text) == found


@pytest.mark.parametrize(("source", "text", "found"), [row[1:] for row in ONLY_RE], ids=[row[0] for row in ONLY_RE])
def test_what_re2_lacks_is_left_to_re(source: str, text: str, found: bool) -> None:
    pattern = compile_pattern(source)
    assert linear_search(parse(source, 0), flags=0) is None
    assert pattern.engine != "re2"
    assert pattern.search(text) == found
