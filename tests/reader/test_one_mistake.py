"""One mistake is one diagnostic: of a value that could not be read, nothing else is said."""

from __future__ import annotations

from typing import Literal

import pytest

from bylaw.errors import InvalidFile, Span
from bylaw.reader import Document, Problems

from .reading import brief, document


class Rule(Document, frozen=True, kw_only=True):
    mode: Literal["enforce", "observe"] = "enforce"
    on: bool = True
    most: float = 0
    tools: tuple[str, ...] = ()
    inner: Document | None = None


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("mode: yes", "ambiguous-scalar", "1:7"),
        ("'on': yes", "ambiguous-scalar", "1:7"),
        ("most: .nan", "ambiguous-scalar", "1:7"),
        ("most: 1e3", "ambiguous-scalar", "1:7"),
        ("off: 1", "ambiguous-scalar", "1:1"),
        ("tools: *nobody", "unknown-alias", "1:8"),
        ("mode: *nobody", "unknown-alias", "1:7"),
        ("<<: *nobody", "unknown-alias", "1:5"),
    ],
)
def test_a_value_that_could_not_be_read_is_told_once(text: str, code: str, place: str) -> None:
    found, said = document(Rule, text)
    assert found is None or code == "unknown-alias"
    assert brief(said) == [(code, place)]


def test_another_mistake_beside_it_is_told() -> None:
    assert brief(document(Rule, "{mode: yes, most: many}")[1]) == [
        ("ambiguous-scalar", "1:8"),
        ("wrong-type", "1:19"),
    ]


def test_what_follows_is_counted_by_those_who_read_and_not_raised() -> None:
    problems = Problems()
    where = Span(file="f", start=1, end=2)
    problems.add("ambiguous-scalar", "first", where)
    problems.add("wrong-type", "again", where)
    assert len(problems.errors) == 2
    with pytest.raises(InvalidFile) as raised:
        problems.raise_errors()
    assert [said.code for said in raised.value.diagnostics] == ["ambiguous-scalar"]
