"""Tables of rows and columns, as somebody sees them without colour."""

from __future__ import annotations

from .journals import at, cell, concluded, ended, file, judged, place, screen, started

REFUNDS = file("r", title="Refund agent", kind="chaos contract", where=at(12, column=1))
ROWS = ("no-double-refund", "polite", "finishes")


def test_rows_and_columns_become_a_table_that_reads_without_colour() -> None:
    outcomes = {
        ("no-double-refund", "calm"): ("not_applicable", "`when: tool_faults_active` excludes it"),
        ("no-double-refund", "slow-model"): ("not_applicable", "`when: tool_faults_active` excludes it"),
        ("no-double-refund", "tool-outage"): ("failed", "`refund` was called twice"),
        ("polite", "slow-model"): ("error", "the judge did not answer"),
        ("finishes", "tool-outage"): ("not_exercised", "no call was made"),
    }
    shown = screen(
        started(REFUNDS),
        *(
            place("r", row, column, *outcomes.get((row, column), ("passed",)), line=31)
            for row in ROWS
            for column in ("calm", "tool-outage", "slow-model")
            if (row, column) != ("finishes", "slow-model")
        ),
        judged("r", "broken", "FAIL", low=0.25, high=0.75),
        ended("broken"),
    )
    assert (
        shown
        == """\
Refund agent                                                    FAIL, 25% to 75%
chaos contract  contracts/refunds.yaml:12:1

                    calm    tool-outage  slow-model
  no-double-refund  n-a     FAIL         n-a
  polite            pass    pass         error
  finishes          pass    not-ex       -

  error: could not be judged; not-ex: never came into play; n-a: does not apply;
  -: not judged

  FAILED  no-double-refund / tool-outage
    why       `refund` was called twice
    where     contracts/refunds.yaml:31:5

  ERROR  polite / slow-model
    why       the judge did not answer
    where     contracts/refunds.yaml:31:5

  NOT EXERCISED  finishes / tool-outage
    why       no call was made
    where     contracts/refunds.yaml:31:5

  not applicable  no-double-refund (2 times): `when: tool_faults_active`
                  excludes it

8 checks, 0 trials, seed 7, 1.2 s
3 passed, 1 failed, 1 error, 1 not exercised, 2 not applicable
BROKEN: `Refund agent` does not hold.
"""
    )


def test_columns_with_long_names_are_numbered() -> None:
    columns = [f"a scenario with the long name {number}" for number in range(1, 12)]
    shown = screen(
        started(REFUNDS),
        *(place("r", row, column, "passed") for row in ROWS for column in columns),
        judged("r", "held", "pass", low=1, high=1),
        ended("held"),
    )
    assert (
        shown
        == """\
Refund agent                                                          pass, 100%
chaos contract  contracts/refunds.yaml:12:1

                    1     2     3     4     5     6     7     8     9     10
  no-double-refund  pass  pass  pass  pass  pass  pass  pass  pass  pass  pass
  polite            pass  pass  pass  pass  pass  pass  pass  pass  pass  pass
  finishes          pass  pass  pass  pass  pass  pass  pass  pass  pass  pass

                    11
  no-double-refund  pass
  polite            pass
  finishes          pass

   1 a scenario with the long name 1    2 a scenario with the long name 2
   3 a scenario with the long name 3    4 a scenario with the long name 4
   5 a scenario with the long name 5    6 a scenario with the long name 6
   7 a scenario with the long name 7    8 a scenario with the long name 8
   9 a scenario with the long name 9   10 a scenario with the long name 10
  11 a scenario with the long name 11

33 checks, 0 trials, seed 7, 1.2 s
33 passed
HELD: everything that was enforced holds.
"""
    )


def test_of_a_long_table_only_the_telling_rows_are_shown() -> None:
    shown = screen(
        started(REFUNDS),
        *(place("r", f"row {number}", "calm", "failed" if number == 17 else "passed") for number in range(40)),
        judged("r", "broken", "FAIL", low=0.975, high=0.975),
        ended("broken"),
    )
    assert (
        shown
        == """\
Refund agent                                                         FAIL, 97.5%
chaos contract  contracts/refunds.yaml:12:1

          calm
  row 17  FAIL

  passed  39 more rows

  FAILED  row 17 / calm
    why       no reason was given

40 checks, 0 trials, seed 7, 1.2 s
39 passed, 1 failed
BROKEN: `Refund agent` does not hold.
"""
    )


def test_a_table_marks_what_is_only_observed_and_what_held_with_luck() -> None:
    def labelled(row: str) -> dict[str, str]:
        return {"row": row, "column": "calm"}

    shown = screen(
        started(REFUNDS),
        cell("r", "a@calm", concluded("passed"), item="a", binding=False, labels=labelled("a")),
        cell("r", "b@calm", concluded("failed", "no"), item="b", binding=False, labels=labelled("b")),
        cell(
            "r",
            "c@calm",
            concluded("passed", trial="1"),
            concluded("failed", "no", trial="2"),
            item="c",
            state="held",
            word="flaky",
            labels=labelled("c"),
        ),
        judged("r", "held", "pass", low=1, high=1),
        ended("held"),
    )
    assert (
        shown
        == """\
Refund agent                                                          pass, 100%
chaos contract  contracts/refunds.yaml:12:1

     calm
  a  (pass)
  b  (FAIL)
  c  pass*

  (...): observed only, does not count; pass*: held, though not on every trial

  observed, would fail  b / calm
    why       no

  passed  c / calm: flaky, 1 of 2 trials did not pass

3 checks, 0 trials, seed 7, 1.2 s
1 passed, 2 observed
HELD: everything that was enforced holds.
"""
    )
