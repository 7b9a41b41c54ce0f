"""All reports of a run agree with its verdict, whatever rules its groups follow."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from xml.etree import ElementTree

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.journal import CellJudged, Conclusion, Ended, Event, GroupJudged
from bylaw.report.json_report import render_json
from bylaw.report.junit import render_junit
from bylaw.scoring import AllHold, Composite, Expected, MatchedRatio, Replicas, SeverityWeighted
from bylaw.verdict import Finding, Fold, Item, Outcome, Verdict

from .journals import again, file, inside, screen, started

FOLDS: Sequence[Fold] = (
    AllHold(),
    SeverityWeighted(min_score=60),
    Composite(pass_threshold=0.6),
    MatchedRatio(threshold=0.5),
    Expected(code="wrong_tool"),
)
CELL_FOLDS: Sequence[Fold] = (AllHold(), Replicas(rule="any"), Replicas(rule="majority"))

conclusions = st.builds(
    lambda outcome, score, code: Conclusion(outcome=outcome, score=score, code=code, reason="because"),
    st.sampled_from(Outcome),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from(["", "wrong_tool"]),
)
cells = st.tuples(
    st.lists(conclusions, min_size=1, max_size=3), st.booleans(), st.integers(0, 4), st.sampled_from(CELL_FOLDS)
)
groups = st.tuples(st.lists(cells, max_size=4), st.sampled_from(FOLDS), st.integers(0, 4))
files = st.lists(st.lists(groups, max_size=2), max_size=2)

Cells = list[tuple[list[Conclusion], bool, int, Fold]]


def judge_cells(group: str, drawn: Cells) -> tuple[list[Event], list[Verdict]]:
    events: list[Event] = []
    verdicts = []
    for number, (found, must, binding, fold) in enumerate(drawn):
        item = Item(id=f"item {number}", kind="contains", must=must, binding=binding > 0)
        findings = [
            Finding(item=item, outcome=one.outcome, score=one.score, code=one.code, reason=one.reason)
            for one in found
        ]
        verdict = fold(findings)
        verdict = msgspec.structs.replace(verdict, must=must, binding=item.binding and verdict.binding)
        verdicts.append(verdict)
        events.append(
            CellJudged(cell=f"{group}/{number}", group=group, item=item, conclusions=tuple(found), verdict=verdict)
        )
    return events, verdicts


def journal(drawn: list[list[tuple[Cells, Fold, int]]]) -> list[Event]:
    events: list[Event] = []
    outlines = []
    tops = []
    for number, inner in enumerate(drawn):
        outlines.append(file(f"f{number}"))
        verdicts = []
        for place, (some, fold, binding) in enumerate(inner):
            name = f"f{number}/{place}"
            outlines.append(inside(f"f{number}", name))
            told, found = judge_cells(name, some)
            verdict = fold(found)
            verdict = msgspec.structs.replace(verdict, binding=binding > 0 and verdict.binding)
            verdicts.append(verdict)
            events += [*told, GroupJudged(group=name, verdict=verdict)]
        tops.append(AllHold()(verdicts))
        events.append(GroupJudged(group=f"f{number}", verdict=tops[-1]))
    run = AllHold()(tops)
    events += [GroupJudged(group="run", verdict=run), Ended(verdict=run, ms=1.0)]
    return [started(*outlines), *events]


@settings(deadline=None, max_examples=200)
@given(files)
def test_all_reports_agree(drawn: list[list[tuple[Cells, Fold, int]]]) -> None:
    events = journal(drawn)
    last = events[-1]
    assert isinstance(last, Ended)
    state = last.verdict.state

    out = io.BytesIO()
    render_junit(again(*events), out)
    root = ElementTree.fromstring(out.getvalue())
    assert (int(root.attrib["failures"]) + int(root.attrib["errors"]) > 0) == (state != "held")

    document = json.loads(b"".join(render_json(again(*events))))
    assert document["exit_code"] == {"held": 0, "broken": 1, "undecided": 3}[state]
    assert sum(document["counts"].values()) == sum(isinstance(event, CellJudged) for event in events)

    shown = screen(*events)
    assert [other for other in ("held", "broken", "undecided") if f"\n{other.upper()}" in shown] == [state]
