"""Checks on the answer's text, and what the lack of one comes to."""

from __future__ import annotations

import pytest

from bylaw.checks import CHECKS, ItemCheck
from bylaw.checks.answers import AnswerCheck

from .judging import ITEM, answered, demand, judged, try_demand

TABLE = [
    # check, fields, answer, outcome, code
    ("contains", "{value: Refund}", "your refund is on its way", "passed", ""),
    ("contains", "{value: STRASSE}", "in der Straße", "passed", ""),
    ("contains", "{value: refund}", "no", "failed", "not_contained"),
    ("contains", "{value: refund}", "", "failed", "not_contained"),
    ("contains_any", "{values: [a, XYZ]}", "xyz", "passed", ""),
    ("contains_any", "{values: [x, y]}", "abc", "failed", "not_contained"),
    ("regex", r"{pattern: 'order \d+'}", "order 12", "passed", ""),
    ("regex", "{pattern: 'a.*b'}", "a\nb", "passed", ""),
    ("regex", "{pattern: '^b$'}", "abc", "failed", "no_match"),
    ("excludes_pattern", "{patterns: ['sorry', 'a.b']}", "fine", "passed", ""),
    ("excludes_pattern", "{patterns: ['sorry', 'a.b']}", "a\nb", "failed", "match"),
    ("valid_json", "{}", '{"a": [1, null]}', "passed", ""),
    ("valid_json", "{}", " 1 ", "passed", ""),
    ("valid_json", "{}", "", "failed", "not_json"),
    ("valid_json", "{}", "{'a': 1}", "failed", "not_json"),
    ("valid_json", "{}", "NaN", "failed", "not_json"),
    ("valid_json", "{}", '{"a": 1} and more', "failed", "not_json"),
    ("valid_json", "{}", "[" * 100_000, "failed", "not_json"),
    ("valid_json", "{}", '"\ud83d"', "failed", "not_json"),
    ("output_not_empty", "{}", "x", "passed", ""),
    ("output_not_empty", "{}", "", "failed", "empty"),
    ("output_not_empty", "{}", " \n\t", "failed", "empty"),
]


@pytest.mark.parametrize(("kind", "fields", "answer", "outcome", "code"), TABLE, ids=range(len(TABLE)))
def test_an_answer_is_judged(kind: str, fields: str, answer: str, outcome: str, code: str) -> None:
    found = judged(demand(kind, fields), answered(answer))
    assert (found.outcome, found.code) == (outcome, code)
    assert found.score == (1.0 if outcome == "passed" else 0.0)
    assert found.item is ITEM


@pytest.mark.parametrize(("kind", "fields", "answer", "outcome", "code"), TABLE, ids=range(len(TABLE)))
def test_negate_turns_it_round(kind: str, fields: str, answer: str, outcome: str, code: str) -> None:
    found = judged(demand(kind, fields), answered(answer), negate=True)
    if outcome == "passed":
        assert (found.outcome, found.code, found.score) == ("failed", "negated", 0.0)
        assert found.reason
    else:
        assert (found.outcome, found.score) == ("passed", 1.0)


ANSWER_CHECKS = {name for name, check in CHECKS.items() if issubclass(check, AnswerCheck)}
FIELDS = {row[0]: row[1] for row in TABLE}


def test_every_check_on_answers_is_in_the_table() -> None:
    assert set(FIELDS) == ANSWER_CHECKS


@pytest.mark.parametrize("kind", sorted(ANSWER_CHECKS))
@pytest.mark.parametrize(
    ("failure", "reason"),
    [(None, "the agent gave no answer"), ("it crashed", "the agent gave no answer: it crashed")],
)
def test_without_an_answer_what_asks_fails_and_what_forbids_can_t_be_judged(
    kind: str, failure: str | None, reason: str
) -> None:
    silent = answered(None, failure=failure)
    found = judged(demand(kind, FIELDS[kind]), silent)
    assert found.outcome == ("error" if kind == "excludes_pattern" else "failed")
    assert (found.code, found.reason) == ("no_answer", reason)
    negated = judged(demand(kind, FIELDS[kind]), silent, negate=True)
    assert (negated.outcome, negated.code) == ("error", "no_answer")


@pytest.mark.parametrize("kind", ["regex", "excludes_pattern"])
@pytest.mark.parametrize("negate", [False, True])
def test_a_pattern_that_can_t_be_put_to_the_answer_is_an_error_either_way(kind: str, negate: bool) -> None:
    fields = r"{pattern: '(a+)+\1$'}" if kind == "regex" else r"{patterns: ['(a+)+\1$']}"
    found = judged(demand(kind, fields), answered("a" * 100_000 + "!"), negate=negate)
    assert (found.outcome, found.code) == ("error", "regex_limit")


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("contains", "{}", "missing-key"),
        ("contains", "{value: ''}", "too-short"),
        ("contains", "{values: [a]}", "unknown-key"),
        ("contains_any", "{values: []}", "too-few"),
        ("regex", "{pattern: '('}", "bad-regex"),
        ("excludes_pattern", "{patterns: []}", "too-few"),
        ("excludes_pattern", "{patterns: ['(']}", "bad-regex"),
        ("valid_json", "{strict: true}", "unknown-key"),
    ],
)
def test_fields_are_checked_when_they_are_read(kind: str, fields: str, code: str) -> None:
    made, said = try_demand(kind, fields)
    assert made is None
    assert code in [one.code for one in said]


def test_a_long_text_is_quoted_in_part() -> None:
    found = judged(demand("contains", f"{{value: {'x' * 300}}}"), answered("no"))
    assert len(found.reason) < 120
    assert "…" in found.reason


def test_a_check_on_the_answer_asks_nothing_of_the_world() -> None:
    check = ItemCheck(item=ITEM, demand=demand("contains", "{value: x}"))
    assert list(check.needs(None)) == list(check.needs(answered("x"))) == []
