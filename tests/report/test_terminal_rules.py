"""Screens of runs in which a rule makes more of its cells, or less, than each of them says."""

from __future__ import annotations

from bylaw.journal import Ended, GroupJudged
from bylaw.verdict import Verdict

from .journals import at, cell, concluded, ended, file, inside, judged, screen, started

REFUNDS = file("r", title="Refund agent", kind="chaos contract", where=at(12, column=1))
NOTHING_ENFORCED = Verdict(state="held", word="nothing enforced", binding=False)


def test_drafts_alone_enforce_nothing_and_the_report_says_so() -> None:
    shown = screen(
        started(REFUNDS),
        cell("r", "a", concluded("passed"), binding=False),
        cell("r", "b", concluded("failed", "`x` is missing"), binding=False, line=3),
        GroupJudged(group="r", verdict=NOTHING_ENFORCED),
        GroupJudged(group="run", verdict=NOTHING_ENFORCED),
        Ended(verdict=NOTHING_ENFORCED, ms=9),
    )
    assert (
        shown
        == """\
Refund agent                                                    nothing enforced
chaos contract  contracts/refunds.yaml:12:1

  observed  1 check that would pass

  observed, would fail  b
    why       `x` is missing
    where     contracts/refunds.yaml:3:5

2 checks, 0 trials, seed 7, 9 ms
2 observed
HELD, BUT NOTHING IS ENFORCED: everything here is only observed, so nothing
could have failed.
"""
    )


def test_cells_of_a_group_that_does_not_bind_are_observed() -> None:
    shown = screen(
        started(REFUNDS, inside("r", "s", title="shadow")),
        cell("r", "polite", concluded("passed")),
        cell("s", "polite-too", concluded("failed", "it was rude"), line=3),
        cell("s", "quick", concluded("passed")),
        GroupJudged(group="s", verdict=Verdict(state="broken", word="fail", low=0.5, high=0.5, binding=False)),
        judged("r", "held", "pass", low=1, high=1),
        ended("held"),
    )
    assert (
        shown
        == """\
Refund agent                                                          pass, 100%
chaos contract  contracts/refunds.yaml:12:1

  passed  polite

  shadow  observed: fail  50%  2 observed

    observed, would fail  polite-too
      why       it was rude
      where     contracts/refunds.yaml:3:5

3 checks, 0 trials, seed 7, 1.2 s
1 passed, 2 observed
HELD: everything that was enforced holds.
"""
    )


def test_what_a_rule_tolerates_is_shown_and_called_so() -> None:
    shown = screen(
        started(REFUNDS, inside("r", "n", title="negative case")),
        cell("r", "quick", concluded("failed", "took 900 ms", score=0.4), line=3, low=0.4),
        cell(
            "r", "polite", concluded("passed", trial="a"), concluded("failed", trial="b"), state="held", word="flaky"
        ),
        cell("n", "expected", concluded("failed", "another tool was called", code="wrong_tool"), line=8),
        judged("n", "held", "failed as expected", low=1, high=1),
        judged("r", "held", "pass", low=0.875, high=0.875),
        ended("held"),
    )
    assert (
        shown
        == """\
Refund agent                                                         pass, 87.5%
chaos contract  contracts/refunds.yaml:12:1

  FAILED  quick  (40%, tolerated)
    why       took 900 ms
    where     contracts/refunds.yaml:3:5

  passed  polite: flaky, 1 of 2 trials did not pass

  negative case  held: failed as expected  100%  1 failed

    FAILED  expected  (tolerated)
      why       another tool was called [wrong_tool]
      where     contracts/refunds.yaml:8:5

3 checks, 0 trials, seed 7, 1.2 s
1 passed, 2 failed
HELD: 2 checks did not pass, but the rules they fall under tolerate it.
"""
    )


def test_a_group_that_broke_though_all_its_cells_passed_says_its_score() -> None:
    shown = screen(
        started(REFUNDS, inside("r", "n", title="negative case")),
        cell("n", "expected", concluded("passed")),
        judged("n", "broken", "did not fail", low=0, high=0),
        judged("r", "broken", "fail", low=0, high=0.9996),
        ended("broken"),
    )
    assert (
        shown
        == """\
Refund agent                                                   fail, 0% to 99.9%
chaos contract  contracts/refunds.yaml:12:1

  negative case  broken: did not fail  0%  1 passed

1 check, 0 trials, seed 7, 1.2 s
1 passed
BROKEN: `Refund agent` does not hold.
"""
    )
