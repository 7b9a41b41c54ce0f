"""A verdict on an agent that never saw the fault is worthless, and does not look like a pass."""

from __future__ import annotations

import pytest

from bylaw.checks import ItemCheck, UnderFault
from bylaw.evidence import Evidence, Need

from .judging import ITEM, demand

FAULTS = ("t timeout", "t error")
CHECK = ItemCheck(item=ITEM, demand=demand("contains", "{value: ok}"))


def evidence(output: str = "ok", *, reached: str = "", fired: str = "", closed: str = "") -> Evidence:
    """Which of the two faults, by their first letter behind the tool: `t`imeout, `e`rror."""

    def named(letters: str) -> tuple[str, ...]:
        return tuple(fault for fault in FAULTS if fault[2] in letters)

    return Evidence(output=output, reached=named(reached), fired=named(fired), closed=named(closed))


TABLE = [
    # what happened, evidence, cells about faults, other cells, marks
    ("no way in", evidence(closed="te"), "error", "error", None),
    ("a way in for one of two", evidence(closed="t", reached="e", fired="e"), "error", "error", None),
    ("no matching call", evidence(), "not_exercised", "passed", ("not reached", "not reached")),
    ("passed by", evidence(reached="te"), "passed", "passed", ("not fired", "not fired")),
    ("one reached", evidence(reached="t"), "passed", "passed", ("not fired", "not reached")),
    ("one fired", evidence(reached="te", fired="e"), "passed", "passed", ("not fired", "fired")),
    ("both fired", evidence(reached="te", fired="te"), "passed", "passed", ("fired", "fired")),
    ("fired and failed", evidence("no", reached="t", fired="t"), "failed", "failed", ("fired", "not reached")),
    ("not reached and failed", evidence("no"), "not_exercised", "failed", ("not reached", "not reached")),
]


@pytest.mark.parametrize(
    ("seen", "active", "others", "marks"), [row[1:] for row in TABLE], ids=[row[0].replace(" ", "-") for row in TABLE]
)
def test_what_a_cell_under_faults_comes_to(
    seen: Evidence, active: str, others: str, marks: tuple[str, str] | None
) -> None:
    about_faults = UnderFault(check=CHECK, faults=FAULTS, active=FAULTS).judge(seen)
    other = UnderFault(check=CHECK, faults=FAULTS).judge(seen)
    assert (about_faults.outcome, other.outcome) == (active, others)
    for found in (about_faults, other):
        if found.outcome in ("passed", "failed"):
            assert marks is not None
            assert found.details["faults"] == dict(zip(FAULTS, marks, strict=True))
        else:
            assert found.state == "undecided"
            assert found.score == 0.0
            assert found.reason


def test_no_way_in_says_what_to_configure() -> None:
    check = UnderFault(check=CHECK, faults=FAULTS, remedy="list the tools under `agent.tools`")
    found = check.judge(evidence(closed="te"))
    assert found.code == "fault_cannot_reach"
    assert found.reason == (
        "`t timeout`, `t error` could not stand between the agent and what it calls:"
        " list the tools under `agent.tools`"
    )


def test_not_reached_names_the_faults_it_speaks_of() -> None:
    found = UnderFault(check=CHECK, faults=FAULTS, active=FAULTS[:1]).judge(evidence(reached="e", fired="e"))
    assert (found.outcome, found.code) == ("not_exercised", "fault_not_reached")
    assert found.reason == "no call went past `t timeout`, so this was never put to the test"


def test_a_closed_fault_of_another_scenario_does_not_matter() -> None:
    seen = Evidence(output="ok", closed=("somebody else's",), reached=FAULTS, fired=FAULTS)
    assert UnderFault(check=CHECK, faults=FAULTS, active=FAULTS).judge(seen).outcome == "passed"


def test_it_stands_for_the_check_inside() -> None:
    inner = ItemCheck(item=ITEM, demand=demand("file_exists", "{path: a}"))
    check = UnderFault(check=inner, faults=FAULTS)
    assert check.item is ITEM
    assert list(check.needs(None)) == []
    assert list(check.needs(Evidence())) == [Need(kind="file", ask=(("path", "a"),))]
    found = check.judge(Evidence(reached=FAULTS))
    assert (found.outcome, found.code) == ("error", "unseen")
