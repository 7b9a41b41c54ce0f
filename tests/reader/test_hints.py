from __future__ import annotations

import pytest

from bylaw.reader import near
from bylaw.reader.problems import listing

WORDS = ["max_tool_calls", "message", "effect", "apiVersion"]


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("mesage", "message"),
        ("max-tool-calls", "max_tool_calls"),
        ("MAX_TOOL_CALLS", "max_tool_calls"),
        ("api_version", "apiVersion"),
        ("apiversion", "apiVersion"),
        ("efect", "effect"),
        ("zebra", ""),
        ("message", ""),
        ("", ""),
    ],
)
def test_a_near_miss_gets_the_likely_word(word: str, guess: str) -> None:
    assert near(word, WORDS) == (f"did you mean `{guess}`?" if guess else "")


@pytest.mark.parametrize(
    ("words", "said"), [([], ""), (["a"], "`a`"), (["a", "b"], "`a` or `b`"), (["a", "b", "c"], "`a`, `b` or `c`")]
)
def test_a_list_of_words_reads_as_a_choice(words: list[str], said: str) -> None:
    assert listing(words) == said
