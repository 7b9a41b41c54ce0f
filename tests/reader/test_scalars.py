"""Plain words mean what every YAML reader says they mean; where readers differ, that is told."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
import yaml

from bylaw.reader.scalars import ambiguous, resolve

from .reading import parsed, value_of


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("true", True),
        ("False", False),
        ("0", 0),
        ("-0", 0),
        ("12", 12),
        ("+7", 7),
        ("-3", -3),
        ("1.5", 1.5),
        ("-0.25", -0.25),
        (".5", 0.5),
        ("2.", 2.0),
        ("1.0e+3", 1000.0),
        ("nULL", "nULL"),
        ("tRue", "tRue"),
        ("2024-01-02", "2024-01-02"),
        ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"),
        ("1.2.3", "1.2.3"),
        ("10.0.0.1", "10.0.0.1"),
        ("08:30", "08:30"),
        ("12:75", "12:75"),
        ("-", "-"),
        ("-a", "-a"),
        ("nothing", "nothing"),
        ("offer", "offer"),
        ("1e", "1e"),
        ("9" * 400, int("9" * 400)),
    ],
)
def test_a_word_that_everyone_reads_alike(word: str, value: Any) -> None:
    assert ambiguous(word) is None
    found = resolve(word)
    assert (found, type(found)) == (value, type(value))


TRAPS = [
    ("yes", "true"),
    ("No", "false"),
    ("ON", "true"),
    ("off", "false"),
    ("012", "an octal number"),
    ("08", "an octal number"),
    ("-07", "an octal number"),
    ("0o17", "an octal number"),
    ("0x1F", "a hexadecimal number"),
    ("0b101", "a binary number"),
    ("1_000", "a number with separators"),
    ("1_000.5", "a number with separators"),
    ("12:30", "a number in base 60"),
    ("1:30:00", "a number in base 60"),
    ("00:30.5", "a number in base 60"),
    ("1e3", "a number with an exponent"),
    ("1.5e3", "a number with an exponent"),
    ("-2E-2", "a number with an exponent"),
    (".inf", "a number that is not finite"),
    ("-.Inf", "a number that is not finite"),
    (".NaN", "a number that is not finite"),
    ("-.5", "a number"),
    ("007.5", "a number"),
    ("1.0_0", "a number"),
    ("1.e5", "a number"),
]


@pytest.mark.parametrize(("word", "meaning"), TRAPS)
def test_a_word_that_readers_differ_on_is_told(word: str, meaning: str) -> None:
    _, (said,) = parsed(f"a: {word}")
    assert said.code == "ambiguous-scalar"
    assert said.message == f"`{word}` is {meaning} to some YAML readers and text to others"
    assert word in said.hint


@pytest.mark.parametrize("word", [word for word, _ in TRAPS])
def test_quoted_it_is_text(word: str) -> None:
    assert value_of(f"a: '{word}'\nb: \"{word}\"\nc: |\n  {word}\nd: >-\n  {word}") == {
        "a": word,
        "b": word,
        "c": f"{word}\n",
        "d": word,
    }


CORE_SCHEMA = [
    # YAML 1.2, section 10.3.2.
    ("null", re.compile(r"(null|Null|NULL|~|)\Z")),
    ("bool", re.compile(r"(true|True|TRUE|false|False|FALSE)\Z")),
    ("int", re.compile(r"([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z")),
    ("float", re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")),
    ("float", re.compile(r"([-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN)\Z")),
]
KINDS = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}


def kind_in_1_1(word: str) -> str:
    for tag, pattern in yaml.SafeLoader.yaml_implicit_resolvers.get(word[:1], []):
        if pattern.match(word):
            return str(tag).rsplit(":", 1)[-1]
    return "str"


def kind_in_1_2(word: str) -> str:
    return next((kind for kind, pattern in CORE_SCHEMA if pattern.match(word)), "str")


def test_no_short_number_is_read_in_two_ways_silently() -> None:
    """Every word of up to four such characters, by the rules of YAML 1.1 as PyYAML has them and of YAML 1.2."""
    words = ["".join(word) for size in range(1, 5) for word in itertools.product("019+-._:xobe", repeat=size)]
    silent = [
        word
        for word in words
        if ambiguous(word) is None and {kind_in_1_1(word), kind_in_1_2(word)} != {KINDS[type(resolve(word))]}
    ]
    assert silent == []
