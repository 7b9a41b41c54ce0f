"""How much of a run is shown: what passed in brief, the rest in full as long as the end stays in sight."""

from __future__ import annotations

from bylaw.evidence import Evidence
from bylaw.journal import Event

from .journals import at, cell, concluded, ended, file, inside, judged, screen, started, trial

REFUNDS = file("r", title="Refund agent", kind="chaos contract", where=at(12, column=1))


def test_much_that_passed_is_a_count_unless_everything_is_asked_for() -> None:
    cases = [inside("r", f"c{number}", title=f"case {number}") for number in range(7)]
    events: list[Event] = [
        started(REFUNDS, *cases),
        *(cell("r", f"check-{number}", concluded("passed")) for number in range(7)),
        *(cell(case.id, f"inner-{case.id}", concluded("passed")) for case in cases),
        *(judged(case.id, "held", "pass", low=1, high=1) for case in cases),
        judged("r", "held", "pass", low=1, high=1),
        ended("held"),
    ]
    assert (
        screen(*events)
        == """\
Refund agent                                                          pass, 100%
chaos contract  contracts/refunds.yaml:12:1

  passed  7 checks

  passed  7 groups (7 checks)

14 checks, 0 trials, seed 7, 1.2 s
14 passed
HELD: everything that was enforced holds.
"""
    )
    everything = screen(*events, verbose=True)
    assert "passed  check-6\n" in everything
    assert "passed  inner-c6\n" in everything


def test_many_files_that_passed_are_a_line_each() -> None:
    files = [file(f"f{number}", title=f"file {number}", kind="a kind") for number in range(8)]
    shown = screen(
        started(*files),
        *(cell(one.id, "a", concluded("passed")) for one in files if one.id != "f3"),
        cell("f3", "a", concluded("failed", "it did not"), line=3),
        *(judged(one.id, "broken" if one.id == "f3" else "held", low=1, high=1) for one in files),
        ended("broken"),
    )
    assert (
        shown
        == """\
file 0                                                                held, 100%
file 1                                                                held, 100%
file 2                                                                held, 100%

file 3                                                              broken, 100%
a kind

  FAILED  a
    why       it did not
    where     contracts/refunds.yaml:3:5

file 4                                                                held, 100%
file 5                                                                held, 100%
file 6                                                                held, 100%
file 7                                                                held, 100%

8 checks, 0 trials, seed 7, 1.2 s
7 passed, 1 failed
BROKEN: `file 3` does not hold.
"""
    )


def test_after_twenty_entries_in_full_the_others_are_brief() -> None:
    evidence = Evidence(output="no")
    shown = screen(
        started(REFUNDS),
        *(trial(f"t{number}", evidence) for number in range(22)),
        *(cell("r", f"c{number}", concluded("failed", "no", trial=f"t{number}"), line=3) for number in range(22)),
        judged("r", "broken", "fail", low=0, high=0),
        ended("broken"),
    )
    assert shown.count("FAILED") == 22
    assert shown.count("contracts/refunds.yaml:3:5") == 22
    assert shown.count("output    no") == 20


REPEATED = (
    started(REFUNDS),
    trial("t0"),
    trial("u", Evidence(output="line\n" * 90), prompt="hi", params={"model": "a"}, replica=2, seed=99),
    cell(
        "r",
        "c",
        *(concluded("failed", "the same reason", trial=f"t{number}") for number in range(4)),
        concluded("failed", "another", trial="u", details={"traceback": "first\n  second\n", "n": 3}, action="deny"),
        *(concluded("error", f"problem {number}", trial=f"e{number}") for number in range(3)),
        line=3,
    ),
    judged("r", "broken", "fail", low=0, high=0),
    ended("broken"),
)


def test_trials_that_say_the_same_are_told_once() -> None:
    assert (
        screen(*REPEATED)
        == """\
Refund agent                                                            fail, 0%
chaos contract  contracts/refunds.yaml:12:1

  FAILED  c
    why       the same reason (the same on 3 more trials)
    where     contracts/refunds.yaml:3:5
    output    done
    trial     t0

    why       another
    action    deny
    prompt    hi
    scenario  model=a, replica 3
    output    line
              line
              line
              line
              (450 characters in all)
    trial     u

    why       problem 0
    trial     e0 (not in this journal)
    and 2 more reasons

1 check, 2 trials, seed 7, 1.2 s
1 failed
BROKEN: `Refund agent` does not hold.
"""
    )


def test_verbose_shows_every_reason_the_seed_and_what_the_check_noted() -> None:
    assert (
        screen(*REPEATED, verbose=True)
        == """\
Refund agent                                                            fail, 0%
chaos contract  contracts/refunds.yaml:12:1

  FAILED  c
    why       the same reason (the same on 3 more trials)
    where     contracts/refunds.yaml:3:5
    output    done
    seed      0
    trial     t0

    why       another
    action    deny
    prompt    hi
    scenario  model=a, replica 3
    output    line
              line
              line
              line
              (450 characters in all)
    details   traceback:
              first
                second
              n: 3
    seed      99
    trial     u

    why       problem 0
    trial     e0 (not in this journal)

    why       problem 1
    trial     e1 (not in this journal)

    why       problem 2
    trial     e2 (not in this journal)

1 check, 2 trials, seed 7, 1.2 s
1 failed
BROKEN: `Refund agent` does not hold.
"""
    )


def test_the_report_fits_into_a_narrow_terminal() -> None:
    shown = screen(*REPEATED, width=50)
    assert max(len(line) for line in shown.splitlines()) <= 50


def test_a_place_is_never_cut_or_wrapped() -> None:
    deep = "a/very/deep/" + "folder/" * 12 + "contract.yaml"
    shown = screen(
        started(REFUNDS),
        cell("r", "a", concluded("failed", "no"), line=3, file=deep),
        judged("r", "broken"),
        ended("broken"),
    )
    assert f"    where     {deep}:3:5\n" in shown


def test_counts_that_do_not_fit_beside_a_group_stand_below_it() -> None:
    shown = screen(
        started(REFUNDS, inside("r", "g", title="a group with quite a long title")),
        cell("g", "a", concluded("passed")),
        cell("g", "b", concluded("error", "no")),
        cell("g", "c", concluded("not_applicable", "excluded")),
        judged("g", "undecided", "NonReproducible", low=0.5, high=1),
        judged("r", "undecided"),
        ended("undecided"),
    )
    assert (
        """
  a group with quite a long title  undecided: NonReproducible  50% to 100%
    1 passed, 1 error, 1 not applicable
"""
        in shown
    )
