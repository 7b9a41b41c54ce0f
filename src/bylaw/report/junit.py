"""A run as JUnit XML: a suite per file, a test case per cell.

There are failures or errors exactly when the run did not hold. So a group that did not hold although none of its
cells failed (a score below its minimum, a case that was to fail and did not) is a test case itself, and a cell that
failed under a rule that tolerates it is skipped, with its reason.
"""

from __future__ import annotations

from typing import BinaryIO

from bylaw.errors import NOWHERE, Span
from bylaw.journal import CellJudged, TrialEnded
from bylaw.report.excerpt import CONCLUSIONS_SHOWN, Excerpt, alike, excerpts
from bylaw.report.junit_xml import Case, Result, Suite, write_suites
from bylaw.report.standing import Standing, reason, telling, worst_outcome
from bylaw.report.survey import Events, GroupSurvey, Survey, take_survey
from bylaw.report.wording import verdict_in_words
from bylaw.verdict import Outcome, Verdict

WEAK = (Standing.failed, Standing.error, Standing.not_exercised)
Excerpts = dict[tuple[str, str], Excerpt]
Place = tuple[Suite, str]


def render_junit(events: Events, out: BinaryIO) -> None:
    """Reads the journal up to three times; what is kept is the text of the suites."""
    survey = take_survey(events)
    suites, places = _suites(survey)
    _add_cells(events, survey, places)
    for top in survey.tops:
        _add_groups(top, places)
    if survey.verdict.state != "held" and not any(suite.trouble for suite in suites):
        whole = Suite("run", verdict=survey.verdict)
        whole.add(_whole("run", "run", survey.verdict, text=survey.stopped))
        suites.append(whole)
    write_suites(suites, out, at=survey.started.at, ms=survey.ended.ms if survey.ended is not None else 0.0)


def _suites(survey: Survey) -> tuple[list[Suite], dict[str, Place]]:
    """The suites, and for every group the one it belongs to with the class name of its cells."""
    suites: list[Suite] = []
    places: dict[str, Place] = {}
    for top in survey.tops:
        suite = Suite(top.title, where=top.outline.where, verdict=top.verdict)
        suites.append(suite)
        for group in top.tree():
            places[group.outline.id] = (suite, ".".join(one.title for one in survey.path(group)))
    return suites, places


def _add_cells(events: Events, survey: Survey, places: dict[str, Place]) -> None:
    """A trial is journaled before the cells that are judged on it, so its time is known by then."""
    found = excerpts(events, survey)
    ms: dict[str, float] = {}
    for event in events():
        if isinstance(event, TrialEnded):
            ms[event.trial] = event.evidence.ms
        elif isinstance(event, CellJudged):
            suite, classname = places[event.group]
            trials = dict.fromkeys(one.trial for one in event.conclusions if one.trial is not None)
            took = sum(ms.get(trial, 0.0) for trial in trials)
            suite.add(_case(event, survey.groups[event.group], classname, found, ms=took))


def _add_groups(group: GroupSurvey, places: dict[str, Place]) -> bool:
    """Whether anything in here is a failure or an error; where nothing is and should be, the group becomes one."""
    below = [_add_groups(child, places) for child in group.children]
    if any(below) or (not group.tolerant and any(group.counts[one] for one in WEAK)):
        return True
    verdict = group.verdict
    if group.tolerant or group.observed or (verdict is not None and not verdict.applies):
        return False
    suite, classname = places[group.outline.id]
    suite.add(_whole(group.title, classname, verdict, where=group.outline.where))
    return True


def _whole(name: str, classname: str, verdict: Verdict | None, *, where: Span = NOWHERE, text: str = "") -> Case:
    broken = verdict is not None and verdict.state == "broken"
    return Case(
        name=f"{name} (as a whole)",
        classname=classname,
        result="failure" if broken else "error",
        kind="broken" if broken else "undecided",
        message=verdict_in_words(verdict),
        text=text,
        where=where,
        verdict=verdict,
    )


def _case(event: CellJudged, group: GroupSurvey, classname: str, found: Excerpts, *, ms: float) -> Case:
    result, prefix = _result(event, group)
    return Case(
        name=event.cell,
        classname=classname,
        result=result,
        kind=next((one.code for one in telling(event) if one.code), "") or group.stands(event),
        message=prefix + reason(event),
        text=_text(event, found),
        ms=ms,
        where=event.item.where,
        verdict=event.verdict,
    )


def _result(event: CellJudged, group: GroupSurvey) -> tuple[Result, str]:
    """The JUnit element for it, and what its message begins with."""
    stands = group.stands(event)
    if stands in WEAK and group.tolerant:
        return "skipped", "tolerated: "
    match stands:
        case Standing.passed:
            return "passed", ""
        case Standing.failed:
            return "failure", ""
        case Standing.error:
            return "error", ""
        case Standing.not_exercised:
            return "error", "not exercised: "
        case Standing.not_applicable:
            return "skipped", "not applicable: "
        case Standing.observed:
            return ("passed", "") if worst_outcome(event) is Outcome.passed else ("skipped", "observed: ")


def _text(event: CellJudged, found: Excerpts) -> str:
    conclusions = alike(telling(event))[:CONCLUSIONS_SHOWN]
    lines = [str(event.item.where)] if conclusions and event.item.where.file else []
    for conclusion, _ in conclusions:
        lines.append(f"{conclusion.outcome}: {conclusion.reason}")
        lines += [f"  {label}: {text}" for label, text in found.get((event.cell, conclusion.trial or ""), ())]
    return "\n".join(lines)
