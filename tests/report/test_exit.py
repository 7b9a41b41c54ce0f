from __future__ import annotations

import itertools

import pytest

from bylaw.report.exit import ExitCode, exit_code, worst
from bylaw.verdict import State, Verdict


@pytest.mark.parametrize(("state", "code"), [("held", 0), ("broken", 1), ("undecided", 3)])
def test_a_verdict_has_a_code_of_its_own(state: State, code: int) -> None:
    assert exit_code(Verdict(state=state, word="whatever the file calls it")) == code


def test_an_invalid_file_is_neither_broken_nor_undecided() -> None:
    assert int(ExitCode.invalid) == 2


@pytest.mark.parametrize("codes", list(itertools.permutations(ExitCode)))
def test_of_several_the_worst_counts_in_any_order(codes: tuple[ExitCode, ...]) -> None:
    left = list(codes)
    fallen = []
    while left:
        fallen.append(worst(left))
        left.remove(fallen[-1])
    assert fallen == [2, 1, 3, 0]


def test_no_run_at_all_is_no_success() -> None:
    assert worst([]) is ExitCode.undecided
