"""There is no text that the reader does not survive: it says what is wrong, or what the text says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bylaw.reader import Document, Items, Limits, Node, Problems, Text, parse, plain, read

from .reading import parsed


class First(Document, frozen=True, kw_only=True):
    a: Literal["x"]


class Second(Document, frozen=True, kw_only=True):
    a: Literal["y"]
    b: int


class Anything(Document, frozen=True, kw_only=True):
    a: Annotated[str, Text(min=1, max=3, pattern="[a-z]*")] = "a"
    b: int | None = None
    c: tuple[First | Second, ...] | str = ()
    d: Annotated[Mapping[str, float], Items(min=1)] = {}
    e: Any = None
    f: Node | None = None


LETTERS = "abcdef0129äü😀@`\\'\"#|>~[]{}:,"
BREAKS = ["\n", "\n  ", "\n    ", " ", "\t", "\u2028", "\x85", "\0", "\ud800", "\ufeff"]
MARKS = [": ", "- ", "? ", ", ", "&a ", "*a", "&b ", "*b", "!t ", "!!str ", "<<: ", "|\n ", ">+\n", "---\n", "...\n"]
WORDS = ["yes", "true", "012", "1e3", ".inf", "%YAML 1.1\n"]
yamlish = st.lists(st.sampled_from([*LETTERS, *BREAKS, *MARKS, *WORDS]), max_size=40).map("".join)
LIMITS = Limits(depth=8, nodes=50)


def survives(text: str) -> None:
    for limits in (Limits(), LIMITS):
        problems = Problems()
        node = parse(text, file="f.yaml", problems=problems, limits=limits)
        if node is None:
            assert problems.errors
            continue
        plain(node)
        if read(Anything, node, problems) is None:
            assert problems.errors
    for said in problems.all:
        assert 0 <= said.where.start <= said.where.end
        assert said.where.line >= 1
        assert said.where.column >= 1
        assert said.message


@settings(deadline=None, max_examples=200)
@given(text=st.text())
@example(text="&a [*a]")
@example(text="a: 1" + "0" * 399)
@example(text="b: 1" + "0" * 350)
@example(text="c: [{a: x}, {a: y, b: 1}, {a: z}, 1]")
@example(text="\n".join([f"a{n}: &a{n} {'[' * 60}*a{n - 1}{']' * 60}" for n in range(1, 81)]).replace("*a0", "x"))
@example(text="d: {1.0e+999: 1.0e+999}")
def test_any_text_is_survived(text: str) -> None:
    survives(text)


@settings(deadline=None, max_examples=500)
@given(text=yamlish)
def test_any_text_that_looks_like_yaml_is_survived(text: str) -> None:
    survives(text)


@settings(deadline=None, max_examples=300)
@given(text=yamlish)
def test_what_is_read_without_a_word_is_what_others_read(text: str) -> None:
    node, said = parsed(text)
    if node is None or said:
        return
    try:
        theirs = yaml.load(text, Loader=WithoutDates)
    except (yaml.YAMLError, TypeError, ValueError):
        return
    assert plain(node) == theirs


class WithoutDates(yaml.CSafeLoader):
    """PyYAML's reading, with dates left as text."""


WithoutDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if not tag.endswith(("timestamp", "value"))]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
