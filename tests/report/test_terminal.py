"""Whole screens, as somebody sees them who pipes a report into a file, 80 columns wide."""

from __future__ import annotations

import pytest

from bylaw.evidence import Answer, Evidence, ToolCall
from bylaw.journal import JournalError, Started

from .journals import at, cell, concluded, ended, file, inside, judged, screen, started, trial

REFUNDS = file("r", title="Refund agent", kind="chaos contract", where=at(12, column=1))
FLIGHTS = file("p", title="Flights", kind="replay pack", where=at(1, column=1, file="packs/flights/pack.yaml"))


def test_a_run_that_held() -> None:
    shown = screen(
        started(REFUNDS),
        trial("t"),
        cell("r", "polite", concluded("passed", trial="t")),
        cell("r", "close-enough", concluded("passed", trial="t"), state="held", low=0.9),
        judged("r", "held", "pass", low=1, high=1),
        ended("held", ms=83),
    )
    assert (
        shown
        == """\
Refund agent                                                          pass, 100%
chaos contract  contracts/refunds.yaml:12:1

  passed  polite
  passed  close-enough (90%)

2 checks, 1 trial, seed 7, 83 ms
2 passed
HELD: everything that was enforced holds.
"""
    )


def test_a_broken_run_shows_why_where_and_what_it_rests_on() -> None:
    evidence = Evidence(
        events=(
            ToolCall(tool="lookup", args={"order": "1042"}, answer=Answer(text='{"status":"shipped"}')),
            ToolCall(
                tool="refund",
                args={"order": "1042", "amount": 19.9},
                answer=Answer(raised="TimeoutError: no answer after 30000 ms"),
                faults=("refund-timeout",),
            ),
            ToolCall(tool="refund", args={"order": "1042", "amount": 19.9}, answer=Answer(text="ok")),
        ),
        output="Your refund of 19.90 is on its way.\nIs there anything else?",
        reached=("refund-timeout", "slow-lookup"),
        fired=("refund-timeout",),
    )
    shown = screen(
        started(REFUNDS, FLIGHTS, inside("p", "p1", title="book_flight"), inside("p", "p2", title="cancel_order")),
        trial("r/t1", evidence, prompt="Please refund order 1042", scenario="tool-outage"),
        trial("p/t1", Evidence(events=(ToolCall(tool="cancel", args={"id": 3}),) * 3, output="")),
        cell("r", "polite", concluded("passed", trial="r/t1")),
        cell(
            "r",
            "no-double-refund",
            concluded("failed", "`refund` was called twice", trial="r/t1", about=(1, 2), code="repeated_call"),
            line=31,
            must=True,
        ),
        judged("r", "broken", "FAIL", low=0.5, high=0.5),
        cell("p1", "expected", concluded("passed", trial="p/t1")),
        judged("p1", "held", "pass", low=1, high=1),
        cell("p2", "assertions", concluded("passed", trial="p/t1")),
        cell(
            "p2",
            "expected",
            concluded(
                "failed",
                "`cancel_order` was not called",
                trial="p/t1",
                details={"closest": {"tool": "cancel", "args": {"id": 3}}},
            ),
            line=9,
            file="packs/flights/cancel.yaml",
        ),
        cell(
            "p2",
            "draft",
            concluded("failed", "`$.id` is not a string", trial="p/t1"),
            binding=False,
            line=19,
            file="packs/flights/cancel.yaml",
        ),
        judged("p2", "broken", "fail", low=0.5, high=0.5),
        judged("p", "broken", low=0.5, high=0.5),
        ended("broken"),
    )
    assert (
        shown
        == """\
Refund agent                                                           FAIL, 50%
chaos contract  contracts/refunds.yaml:12:1

  passed  polite

  FAILED  no-double-refund  (must hold)
    why       `refund` was called twice [repeated_call]
    where     contracts/refunds.yaml:31:5
    prompt    Please refund order 1042
    scenario  tool-outage
    faults    fired: refund-timeout; reached, did not fire: slow-lookup
    calls     [1] refund(order="1042", amount=19.9) -> raised TimeoutError: no
              answer after 30000 ms (fault: refund-timeout)
              [2] refund(order="1042", amount=19.9) -> ok
    output    Your refund of 19.90 is on its way.
              Is there anything else?
    trial     r/t1

Flights                                                              broken, 50%
replay pack  packs/flights/pack.yaml:1:1

  book_flight   pass  100%  1 passed
  cancel_order  fail  50%   1 passed, 1 failed, 1 observed

    FAILED  expected
      why       `cancel_order` was not called
      where     packs/flights/cancel.yaml:9:5
      calls     cancel x3
      closest   cancel(id=3)
      output    (empty)
      trial     p/t1

    observed, would fail  draft
      why       `$.id` is not a string
      where     packs/flights/cancel.yaml:19:5
      calls     cancel x3
      output    (empty)
      trial     p/t1

6 checks, 2 trials, seed 7, 1.2 s
3 passed, 2 failed, 1 observed
BROKEN: `Refund agent`, `Flights` do not hold.
"""
    )


def test_an_undecided_run_says_what_could_not_be_judged_and_that_it_is_no_pass() -> None:
    shown = screen(
        started(REFUNDS),
        trial("t1", Evidence(error="no PostgreSQL answered on port 5432")),
        trial("t2", Evidence(output="Hello", closed=("llm-timeout",)), prompt="Hi", scenario="slow", replica=2),
        cell("r", "polite", concluded("passed", trial="t2")),
        cell("r", "recorded", concluded("error", "no PostgreSQL answered on port 5432", trial="t1"), line=4),
        cell("r", "survives", concluded("not_exercised", "no matching call was made", trial="t2"), line=9),
        cell("r", "waits", concluded("not_applicable", "`when: no_chaos` excludes it"), line=14),
        judged("r", "undecided", low=0.333, high=1),
        ended("undecided", ms=83_000),
    )
    assert (
        shown
        == """\
Refund agent                                            undecided, 33.3% to 100%
chaos contract  contracts/refunds.yaml:12:1

  passed  polite

  ERROR  recorded
    why       no PostgreSQL answered on port 5432
    where     contracts/refunds.yaml:4:5
    trial     t1

  NOT EXERCISED  survives
    why       no matching call was made
    where     contracts/refunds.yaml:9:5
    prompt    Hi
    scenario  slow, replica 3
    faults    could not stand between: llm-timeout
    output    Hello
    trial     t2

  not applicable  waits: `when: no_chaos` excludes it

4 checks, 2 trials, seed 7, 1 min 23 s
1 passed, 1 error, 1 not exercised, 1 not applicable
UNDECIDED: no contract is known to be broken, but 2 checks could not be judged
or never came into play. That is not a pass.
"""
    )


def test_a_run_in_which_nothing_was_judged_is_not_a_pass() -> None:
    assert (
        screen(started(), ended("undecided", "nothing judged", ms=1))
        == """\
0 checks, 0 trials, seed 7, 1 ms
UNDECIDED: nothing was judged, and that is not a pass.
"""
    )
    shown = screen(started(REFUNDS), judged("r", "undecided", "nothing judged"), ended("undecided", ms=1))
    assert (
        shown
        == """\
Refund agent                                                      nothing judged
chaos contract  contracts/refunds.yaml:12:1

0 checks, 0 trials, seed 7, 1 ms
UNDECIDED: nothing was judged, and that is not a pass.
"""
    )


def test_an_interrupted_run_shows_what_was_judged_until_then() -> None:
    shown = screen(
        started(REFUNDS, FLIGHTS, cells=4),
        cell("r", "polite", concluded("passed")),
        judged("r", "undecided", low=0.5, high=1),
        judged("p", "undecided", low=0, high=1),
        ended("undecided", ms=8000, stopped="interrupted"),
    )
    assert (
        shown
        == """\
Refund agent                                              undecided, 50% to 100%
chaos contract  contracts/refunds.yaml:12:1

  passed  polite

Flights                                                    undecided, 0% to 100%
replay pack  packs/flights/pack.yaml:1:1

1 check, 0 trials, seed 7, 8.0 s
1 passed
interrupted: what was judged until then is shown, 1 of 4 checks
UNDECIDED: no contract is known to be broken, but not everything was judged.
That is not a pass.
"""
    )


def test_a_journal_that_was_cut_off_is_an_interrupted_run() -> None:
    shown = screen(started(REFUNDS, cells=4), cell("r", "polite", concluded("passed")))
    assert (
        shown
        == """\
Refund agent                                                          not judged
chaos contract  contracts/refunds.yaml:12:1

  passed  polite

1 check, 0 trials, seed 7
1 passed
interrupted (the journal ends before the run does): what was judged until then
is shown, 1 of 4 checks
UNDECIDED: no contract is known to be broken, but not everything was judged.
That is not a pass.
"""
    )


def test_a_journal_without_a_beginning_is_refused() -> None:
    with pytest.raises(JournalError, match="the journal is empty"):
        screen()
    with pytest.raises(JournalError, match="0 outermost groups"):
        screen(Started(version="0.1.0", at=0.0, seed=0, trials=0, cells=0))


def test_a_root_with_cells_of_its_own_is_shown_as_a_file() -> None:
    shown = screen(
        started(),
        cell("run", "polite", concluded("failed", "it was rude"), line=2),
        judged("run", "broken"),
        ended("broken"),
    )
    assert (
        shown
        == """\
run                                                                       broken

  FAILED  polite
    why       it was rude
    where     contracts/refunds.yaml:2:5

1 check, 0 trials, seed 7, 1.2 s
1 failed
BROKEN: `run` does not hold.
"""
    )
