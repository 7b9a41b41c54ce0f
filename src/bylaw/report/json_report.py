"""A run as one JSON document, for programs. Its shape changes only together with `schema`.

Keys come out in the order of the fields below, those of mappings sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bylaw.errors import Span
from bylaw.evidence import Event as EvidenceEvent
from bylaw.journal import CellJudged, TrialEnded
from bylaw.report.exit import exit_code
from bylaw.report.standing import Standing
from bylaw.report.survey import Events, GroupSurvey, Survey, take_survey
from bylaw.verdict import Action, Outcome, State, Verdict

SCHEMA = 1


class Place(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    line: int
    column: int


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    state: State
    word: str
    low: float | None
    high: float | None


class ItemDocument(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    kind: str
    where: Place | None
    weight: float
    must: bool
    binding: bool
    data: Mapping[str, Any]


class FindingDocument(msgspec.Struct, frozen=True, kw_only=True):
    trial: str | None
    outcome: Outcome
    score: float
    code: str
    reason: str
    action: Action
    about: tuple[int, ...]
    details: Mapping[str, Any]


class CellDocument(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    standing: Standing
    item: ItemDocument
    labels: Mapping[str, str]
    verdict: Judgement
    findings: tuple[FindingDocument, ...]


class GroupDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`verdict` is null where the run stopped before the group was judged."""

    id: str
    title: str
    kind: str
    where: Place | None
    notes: tuple[str, ...]
    verdict: Judgement | None
    cells: list[msgspec.Raw]
    groups: list[GroupDocument]


class TrialDocument(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    prompt: str
    scenario: str
    params: Mapping[str, str]
    replica: int
    seed: int
    output: str | None
    failure: str | None
    error: str | None
    ms: float
    events: tuple[EvidenceEvent, ...]
    faults: tuple[str, ...]
    reached: tuple[str, ...]
    fired: tuple[str, ...]
    closed: tuple[str, ...]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """`counts` adds up to all cells; `tolerated` of them did not pass, though a rule above them is satisfied."""

    schema: int
    version: str
    at: float
    seed: int
    ms: float | None
    verdict: Judgement
    exit_code: int
    stopped: str
    counts: dict[str, int]
    tolerated: int


_ENCODER = msgspec.json.Encoder(order="deterministic")


def render_json(events: Events) -> Iterator[bytes]:
    """The document in pieces. Cells are held encoded until their group is written, trials never."""
    survey = take_survey(events)
    cells: dict[str, list[msgspec.Raw]] = {}
    for event in events():
        if isinstance(event, CellJudged):
            encoded = _ENCODER.encode(_cell(event, survey.groups[event.group]))
            cells.setdefault(event.group, []).append(msgspec.Raw(encoded))
    yield _ENCODER.encode(_head(survey)).removesuffix(b"}") + b',"groups":['
    for number, top in enumerate(survey.tops):
        yield (b",\n" if number else b"\n") + _ENCODER.encode(_group(top, cells))
    yield b'],\n"trials":['
    number = 0
    for event in events():
        if isinstance(event, TrialEnded):
            yield (b",\n" if number else b"\n") + _ENCODER.encode(_trial(event))
            number += 1
    yield b"]}\n"


def _head(survey: Survey) -> Head:
    counts = survey.root.total()
    return Head(
        schema=SCHEMA,
        version=survey.started.version,
        at=survey.started.at,
        seed=survey.started.seed,
        ms=survey.ended.ms if survey.ended is not None else None,
        verdict=_judgement(survey.verdict),
        exit_code=exit_code(survey.verdict),
        stopped=survey.stopped,
        counts={kind.value: counts[kind] for kind in Standing},
        tolerated=survey.root.tolerated(),
    )


def _judgement(verdict: Verdict) -> Judgement:
    return Judgement(state=verdict.state, word=verdict.word, low=verdict.low, high=verdict.high)


def _place(where: Span) -> Place | None:
    return Place(file=where.file, line=where.line, column=where.column) if where.file else None


def _group(group: GroupSurvey, cells: Mapping[str, list[msgspec.Raw]]) -> GroupDocument:
    outline = group.outline
    return GroupDocument(
        id=outline.id,
        title=outline.title,
        kind=outline.kind,
        where=_place(outline.where),
        notes=outline.notes,
        verdict=_judgement(group.verdict) if group.verdict is not None else None,
        cells=cells.get(outline.id, []),
        groups=[_group(child, cells) for child in group.children],
    )


def _cell(event: CellJudged, group: GroupSurvey) -> CellDocument:
    item = event.item
    return CellDocument(
        id=event.cell,
        standing=group.stands(event),
        item=ItemDocument(
            id=item.id,
            kind=item.kind,
            where=_place(item.where),
            weight=item.weight,
            must=item.must,
            binding=item.binding,
            data=item.data,
        ),
        labels=event.labels,
        verdict=_judgement(event.verdict),
        findings=tuple(
            FindingDocument(
                trial=conclusion.trial,
                outcome=conclusion.outcome,
                score=conclusion.score,
                code=conclusion.code,
                reason=conclusion.reason,
                action=conclusion.action,
                about=conclusion.about,
                details=conclusion.details,
            )
            for conclusion in event.conclusions
        ),
    )


def _trial(event: TrialEnded) -> TrialDocument:
    evidence = event.evidence
    return TrialDocument(
        id=event.trial,
        prompt=event.prompt,
        scenario=event.scenario,
        params=event.params,
        replica=event.replica,
        seed=event.seed,
        output=evidence.output,
        failure=evidence.failure,
        error=evidence.error,
        ms=evidence.ms,
        events=evidence.events,
        faults=event.faults,
        reached=evidence.reached,
        fired=evidence.fired,
        closed=evidence.closed,
    )
