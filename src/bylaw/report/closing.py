"""The end of a report: how much came out how, and what that means."""

from __future__ import annotations

from collections import Counter

from bylaw.report.screen import STYLES, Screen, style_of
from bylaw.report.standing import Standing
from bylaw.report.survey import Survey
from bylaw.report.wording import count, counted, duration

NAMED = 3
LONGEST_NAME = 60


def show_closing(screen: Screen, survey: Survey) -> None:
    counts = survey.root.total()
    _show_counts(screen, survey, counts)
    if survey.stopped:
        why = "" if survey.stopped == "interrupted" else f" ({screen.safe(survey.stopped, LONGEST_NAME)})"
        done = f"{counts.total():,} of {count(survey.started.cells, 'check')}"
        screen.paragraph(f"interrupted{why}: what was judged until then is shown, {done}", style="yellow")
    screen.paragraph(_sentence(screen, survey, counts), style=style_of(survey.verdict))


def _show_counts(screen: Screen, survey: Survey, counts: Counter[Standing]) -> None:
    parts = [count(counts.total(), "check"), count(survey.trials, "trial"), f"seed {survey.started.seed}"]
    if survey.ended is not None:
        parts.append(duration(survey.ended.ms))
    screen.line((", ".join(parts), "dim"))
    styled: list[tuple[str, str] | str] = []
    for kind, words in counted(counts):
        styled += [", ", (words, STYLES[kind])] if styled else [(words, STYLES[kind])]
    if styled:
        screen.line(*styled)


def _sentence(screen: Screen, survey: Survey, counts: Counter[Standing]) -> str:
    match survey.verdict.state:
        case "broken":
            return _broken(screen, survey)
        case "held":
            return _held(survey)
        case "undecided":
            return _undecided(counts)


def _broken(screen: Screen, survey: Survey) -> str:
    verdicts = ((top.title, top.verdict) for top in survey.tops if top.verdict is not None)
    broken = [title for title, verdict in verdicts if verdict.binding and verdict.state == "broken"]
    if not broken:
        return "BROKEN: the contract does not hold."
    named = ", ".join(f"`{screen.safe(title, LONGEST_NAME)}`" for title in broken[:NAMED])
    if len(broken) > NAMED:
        named += f" and {len(broken) - NAMED} more"
    return f"BROKEN: {named} {'does' if len(broken) == 1 else 'do'} not hold."


def _held(survey: Survey) -> str:
    if survey.verdict.word == "nothing enforced":
        return "HELD, BUT NOTHING IS ENFORCED: everything here is only observed, so nothing could have failed."
    tolerated = survey.root.tolerated()
    if tolerated:
        return f"HELD: {count(tolerated, 'check')} did not pass, but the rules they fall under tolerate it."
    return "HELD: everything that was enforced holds."


def _undecided(counts: Counter[Standing]) -> str:
    unknown = counts[Standing.error] + counts[Standing.not_exercised]
    if counts.total() == counts[Standing.not_applicable]:
        return "UNDECIDED: nothing was judged, and that is not a pass."
    if unknown:
        return (
            f"UNDECIDED: no contract is known to be broken, but {count(unknown, 'check')} could not be judged"
            " or never came into play. That is not a pass."
        )
    return "UNDECIDED: no contract is known to be broken, but not everything was judged. That is not a pass."
