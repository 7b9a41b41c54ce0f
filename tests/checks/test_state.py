"""Checks on the end state: one question each, asked after the trial, and no guess where nobody answered."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.evidence import Evidence, Need
from bylaw.language.regex import compile_pattern
from bylaw.verdict import Outcome

from .judging import answered, demand, judged, saw, try_demand

FILE = Need(kind="file", ask=(("path", "out.txt"),))
COMMAND = Need(kind="command", ask=(("command", "make test"),))
GONE = {"exists": False, "kind": "", "text": None}
FOLDER = {"exists": True, "kind": "directory", "text": None}


def file(text: str) -> dict[str, Any]:
    return {"exists": True, "kind": "file", "text": text}


def ended(exit_code: int | None, *, timed_out: bool = False) -> dict[str, Any]:
    return {"exit_code": exit_code, "timed_out": timed_out, "stdout": "so\n", "stderr": "no\n"}


TABLE = [
    # check, fields, question, answer, outcome, code
    ("file_exists", "{path: out.txt}", FILE, file(""), "passed", ""),
    ("file_exists", "{path: out.txt}", FILE, FOLDER, "passed", ""),
    ("file_exists", "{path: out.txt}", FILE, GONE, "failed", "missing_file"),
    ("file_absent", "{path: out.txt}", FILE, GONE, "passed", ""),
    ("file_absent", "{path: out.txt}", FILE, file(""), "failed", "unwanted_file"),
    ("file_content", "{path: out.txt, contains: a}", FILE, file("abc"), "passed", ""),
    ("file_content", "{path: out.txt, contains: A}", FILE, file("abc"), "failed", "file_content"),
    ("file_content", "{path: out.txt, not_contains: x}", FILE, file("abc"), "passed", ""),
    ("file_content", "{path: out.txt, not_contains: a}", FILE, file("abc"), "failed", "file_content"),
    ("file_content", "{path: out.txt, pattern: '^b'}", FILE, file("a\nb"), "failed", "file_content"),
    ("file_content", "{path: out.txt, pattern: '(?m)^b'}", FILE, file("a\nb"), "passed", ""),
    ("file_content", "{path: out.txt, contains: a, not_contains: b}", FILE, file("ab"), "failed", "file_content"),
    ("file_content", "{path: out.txt, contains: ''}", FILE, file(""), "passed", ""),
    ("file_content", "{path: out.txt, contains: a}", FILE, GONE, "failed", "missing_file"),
    ("file_content", "{path: out.txt, not_contains: a}", FILE, GONE, "failed", "missing_file"),
    ("file_content", "{path: out.txt, not_contains: a}", FILE, FOLDER, "failed", "not_a_file"),
    ("command_exit", "{command: make test}", COMMAND, ended(0), "passed", ""),
    ("command_exit", "{command: make test}", COMMAND, ended(2), "failed", "exit_code"),
    ("command_exit", "{command: make test, exit_code: 2}", COMMAND, ended(2), "passed", ""),
    ("command_exit", "{command: make test}", COMMAND, ended(None, timed_out=True), "error", "timed_out"),
]


@pytest.mark.parametrize(("kind", "fields", "need", "value", "outcome", "code"), TABLE, ids=range(len(TABLE)))
def test_an_end_state_is_judged(kind: str, fields: str, need: Need, value: Any, outcome: str, code: str) -> None:
    check = demand(kind, fields)
    assert list(check.needs(answered(""))) == [need]
    found = judged(check, saw(need, value))
    assert (found.outcome, found.code) == (outcome, code)
    negated = judged(check, saw(need, value), negate=True)
    turned = {"passed": Outcome.failed, "failed": Outcome.passed}
    assert negated.outcome == turned.get(outcome, Outcome.error)


EACH = {row[0]: (row[1], row[2]) for row in TABLE}


@pytest.mark.parametrize("kind", EACH)
@pytest.mark.parametrize("negate", [False, True])
def test_what_nobody_saw_is_an_error_with_its_reason(kind: str, negate: bool) -> None:
    fields, need = EACH[kind]
    check = demand(kind, fields)
    assert check.world
    assert list(check.needs(None)) == []
    found = judged(check, saw(need, unseen="the workspace is gone"), negate=negate)
    assert (found.outcome, found.code, found.reason) == ("error", "unseen", "the workspace is gone")
    never_asked = judged(check, Evidence(), negate=negate)
    assert (never_asked.outcome, never_asked.reason) == ("error", "nobody answered this question")


def test_a_command_that_fails_shows_what_it_said() -> None:
    found = judged(demand("command_exit", "{command: make test}"), saw(COMMAND, ended(2)))
    assert found.reason == "`make test` ended with exit code 2, not 0"
    assert found.details == {"stdout": "so\n", "stderr": "no\n"}


def test_a_file_that_is_wrong_shows_how_it_begins() -> None:
    found = judged(demand("file_content", "{path: out.txt, contains: x}"), saw(FILE, file("y" * 1000)))
    assert found.reason == "`out.txt` does not contain `x`"
    assert found.details == {"text": "y" * 400}


def test_a_file_too_long_for_its_pattern_is_an_error() -> None:
    assert compile_pattern(r"(a+)+\1$").engine == "limited"
    check = demand("file_content", r"{path: out.txt, pattern: '(a+)+\1$'}")
    found = judged(check, saw(FILE, file("a" * 100_000 + "!")))
    assert (found.outcome, found.code) == ("error", "regex_limit")


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("file_content", "{path: out.txt}", "nothing-to-check"),
        ("file_content", "{path: out.txt, pattern: ~}", "nothing-to-check"),
        ("file_content", "{path: out.txt, contains: ~}", "nothing-to-check"),
        ("file_content", "{contains: a}", "missing-key"),
        ("file_exists", "{path: ''}", "too-short"),
        ("command_exit", "{command: x, exit_code: zero}", "wrong-type"),
    ],
)
def test_fields_are_checked_when_they_are_read(kind: str, fields: str, code: str) -> None:
    made, said = try_demand(kind, fields)
    assert made is None
    assert [one.code for one in said] == [code]
