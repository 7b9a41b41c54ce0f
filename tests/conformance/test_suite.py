"""The suite itself: every note once, every gap of use, something of every kind to walk."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .cases import KINDS, SUITE, BadSuite, all_cases, case_files, cases_in
from .gaps import ROADS, gaps


def test_every_note_is_unique() -> None:
    notes = Counter(case.note for case in all_cases())
    assert [note for note, count in notes.items() if count > 1] == []


def test_there_are_cases_of_every_kind() -> None:
    kinds = Counter(type(case) for case in all_cases())
    assert all(kinds[kind] >= 20 for kind in KINDS.values()), kinds
    assert sum(kinds.values()) >= 500


def test_every_gap_is_a_road_and_a_case_that_exist() -> None:
    notes = {case.note for case in all_cases()}
    assert {gap.road for gap in gaps()} <= ROADS
    assert [note for gap in gaps() for note in gap.notes if note not in notes] == []


def test_every_shared_file_is_of_use() -> None:
    shared = {str(path.relative_to(SUITE)) for path in SUITE.glob("*/shared/*")}
    copied = {content.copy for case in all_cases() for content in case.files.values() if not isinstance(content, str)}
    assert copied == shared


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("- {note: a, operator: gt, operand: 1, dialect: json, wanted: hit, vlaue: 2}", id="unknown key"),
        pytest.param("- {note: a, wanted: hit}", id="no kind"),
        pytest.param("- {note: a, run: [], operator: gt}", id="two kinds"),
        pytest.param("- {note: a, note: b, run: []}", id="key written twice"),
        pytest.param("note: a", id="no list"),
    ],
)
def test_a_case_nobody_understands_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(text)
    with pytest.raises(BadSuite):
        cases_in(tmp_path / "cases.yaml")


def test_the_suite_is_where_it_is_looked_for() -> None:
    assert len(case_files()) >= 10
