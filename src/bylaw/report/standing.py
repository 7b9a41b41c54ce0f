"""How one cell is shown and counted."""

from __future__ import annotations

from enum import StrEnum

from bylaw.journal import CellJudged, Conclusion
from bylaw.verdict import Outcome


class Standing(StrEnum):
    """The outcome of a cell, after its rule. `observed` is whatever does not bind, however it came out."""

    failed = "failed"
    error = "error"
    not_exercised = "not_exercised"
    observed = "observed"
    not_applicable = "not_applicable"
    passed = "passed"


WORDS = {
    Standing.failed: "FAILED",
    Standing.error: "ERROR",
    Standing.not_exercised: "NOT EXERCISED",
    Standing.observed: "observed",
    Standing.not_applicable: "not applicable",
    Standing.passed: "passed",
}

NO_REASON = "no reason was given"

# The order in which outcomes matter to somebody who reads the cell.
_WORST_FIRST = (
    Outcome.failed,
    Outcome.error,
    Outcome.not_exercised,
    Outcome.passed,
    Outcome.not_applicable,
)


def standing(event: CellJudged) -> Standing:
    verdict = event.verdict
    if not verdict.applies or worst_outcome(event) is Outcome.not_applicable:
        return Standing.not_applicable
    if not (event.item.binding and verdict.binding):
        return Standing.observed
    if verdict.state == "held":
        return Standing.passed
    if verdict.state == "broken":
        return Standing.failed
    outcomes = {conclusion.outcome for conclusion in event.conclusions}
    if not outcomes or (Outcome.not_exercised in outcomes and Outcome.error not in outcomes):
        return Standing.not_exercised
    return Standing.error


def worst_outcome(event: CellJudged) -> Outcome | None:
    """None where nothing was concluded."""
    outcomes = {conclusion.outcome for conclusion in event.conclusions}
    return next((outcome for outcome in _WORST_FIRST if outcome in outcomes), None)


def telling(event: CellJudged) -> list[Conclusion]:
    """The conclusions that keep a cell from having passed on every trial, the worst first."""
    found = [c for c in event.conclusions if c.outcome not in (Outcome.passed, Outcome.not_applicable)]
    return sorted(found, key=lambda conclusion: _WORST_FIRST.index(conclusion.outcome))


def reason(event: CellJudged) -> str:
    """The first reason given by the worst conclusions; the rule's word where nothing was concluded."""
    found = telling(event) or event.conclusions
    return next((one.reason for one in found if one.reason), NO_REASON if found else event.verdict.word)


def name(event: CellJudged) -> str:
    """The item's id, and which of its cells this is."""
    others = [value for label, value in event.labels.items() if label != "row" and value != event.item.id]
    return " / ".join((event.item.id, *others))
