"""Journals written by hand, in few words."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.console import Console

from bylaw.errors import NOWHERE, Span
from bylaw.evidence import Evidence
from bylaw.journal import CellJudged, Conclusion, Ended, Event, GroupJudged, Outline, Started, TrialEnded
from bylaw.report.terminal import render_terminal
from bylaw.verdict import Item, Outcome, State, Verdict

ROOT = Outline(id="run")
STATES: dict[str, State] = {
    "passed": "held",
    "failed": "broken",
    "error": "undecided",
    "not_exercised": "undecided",
    "not_applicable": "undecided",
}


def at(line: int, *, file: str = "contracts/refunds.yaml", column: int = 5) -> Span:
    return Span(file=file, line=line, column=column)


def started(*groups: Outline, trials: int = 0, cells: int = 0) -> Started:
    return Started(version="0.1.0", at=1_700_000_000.0, seed=7, trials=trials, cells=cells, groups=(ROOT, *groups))


def file(
    name: str, *, title: str = "", kind: str = "", where: Span = NOWHERE, notes: tuple[str, ...] = ()
) -> Outline:
    return Outline(id=name, parent="run", title=title, kind=kind, where=where, notes=notes)


def inside(parent: str, name: str, *, title: str = "", notes: tuple[str, ...] = ()) -> Outline:
    return Outline(id=name, parent=parent, title=title, notes=notes)


def concluded(outcome: str, reason: str = "", *, trial: str | None = None, **more: Any) -> Conclusion:
    score = more.pop("score", 0.0 if outcome == "failed" else 1.0)
    return Conclusion(outcome=Outcome(outcome), reason=reason, trial=trial, score=score, **more)


def cell(
    group: str,
    name: str,
    *conclusions: Conclusion,
    state: State | None = None,
    word: str = "",
    low: float | None = None,
    line: int = 0,
    must: bool = False,
    binding: bool = True,
    labels: Mapping[str, str] | None = None,
    item: str = "",
    file: str = "contracts/refunds.yaml",
) -> CellJudged:
    """A cell of one item; its verdict is what its first conclusion says unless `state` says otherwise."""
    first = conclusions[0].outcome if conclusions else Outcome.not_exercised
    if binding:
        found = state or STATES[first]
        verdict = Verdict(
            state=found,
            word=word or found,
            low=float(found == "held") if low is None else low,
            high=float(found != "broken") if low is None else low,
            applies=first is not Outcome.not_applicable,
        )
    else:
        verdict = Verdict(state="held", word="nothing enforced", binding=False)
    return CellJudged(
        cell=name,
        group=group,
        item=Item(
            id=item or name,
            kind="contains",
            where=at(line, file=file) if line else NOWHERE,
            must=must,
            binding=binding,
        ),
        conclusions=conclusions,
        verdict=verdict,
        labels=labels or {},
    )


def place(
    group: str, row: str, column: str, outcome: str, reason: str = "", *, line: int = 0, trial: str | None = None
) -> CellJudged:
    return cell(
        group,
        f"{row}@{column}",
        concluded(outcome, reason, trial=trial),
        item=row,
        line=line,
        labels={"row": row, "column": column},
    )


def judged(
    group: str, state: State, word: str = "", *, low: float | None = None, high: float | None = None
) -> GroupJudged:
    return GroupJudged(group=group, verdict=Verdict(state=state, word=word or state, low=low, high=high))


def ended(state: State, word: str = "", *, ms: float = 1234.0, stopped: str = "") -> Ended:
    return Ended(verdict=Verdict(state=state, word=word or state), ms=ms, stopped=stopped)


def trial(name: str, evidence: Evidence | None = None, **more: Any) -> TrialEnded:
    return TrialEnded(trial=name, evidence=evidence or Evidence(output="done", ms=10.0), **more)


def again(*events: Event) -> Callable[[], Iterator[Event]]:
    return lambda: iter(events)


def screen(*events: Event, width: int = 80, verbose: bool = False) -> str:
    """What somebody sees who pipes the report into a file."""
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    render_terminal(again(*events), console, verbose=verbose)
    return out.getvalue()
