"""Contracts judged on the answers that somebody's traces have."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bylaw.agents.recorded import Recorded
from bylaw.checks import ItemCheck
from bylaw.evidence import Evidence
from bylaw.formats.format import Context
from bylaw.formats.packs.contracts import (
    FOLD,
    Applies,
    ContractAlone,
    Expectation,
    expectations,
    fold_of,
    more_checks,
    read_contract,
    tools_of,
)
from bylaw.formats.packs.documents import ContractFile
from bylaw.formats.packs.planning import DRAFT, TITLE
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.reader import Source
from bylaw.scoring import AllHold
from bylaw.verdict import Item


class TracedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that was given somewhere, and the tools that were on offer when it was.

    Where it is not `asked` the trace does not say to what it was given, and nothing can be said of that.
    """

    name: str
    evidence: Evidence
    asked: bool = True
    offered: frozenset[str] = frozenset()

    def concerns(self, tools: frozenset[str] | None, applies: Applies) -> bool:
        if tools is None or applies == "always":
            return True
        called = {call.tool for call in self.evidence.calls}
        return bool(tools & (called if applies == "called" else called | self.offered))


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """Every contract is judged on every answer that concerns it. One that concerns none is not exercised."""

    answers: Sequence[TracedAnswer]
    applies: Applies = "offered"

    def plan(self, source: Source, context: Context) -> Plan | None:
        contract = read_contract(source, context.problems, ContractAlone)
        more = more_checks(source, context)
        if contract is None or more is None:
            return None
        tools = tools_of(contract)
        return _planned(
            source,
            contract,
            expectations(contract, more),
            [answer for answer in self.answers if answer.concerns(tools, self.applies)],
        )


def _planned(
    source: Source, contract: ContractFile, expected: Sequence[Expectation], answers: Sequence[TracedAnswer]
) -> Plan:
    file = str(source.path)
    data = {} if contract.side_effect is None else {"side_effect": contract.side_effect}
    checks = [
        ItemCheck(item=Item(id=each.name, kind="expectation", where=each.where, data=data), demand=each.demand)
        for each in expected
    ]
    notes = [DRAFT] if contract.is_draft else []
    if not answers:
        notes.append("no answer in the traces concerns this contract")
    trials = tuple(
        Trial(id=f"{file}#{answer.name}", subject=Recorded(evidence=answer.evidence)) for answer in answers
    )
    cases = tuple(
        Group(
            id=trial.id,
            title=answer.name,
            kind="case",
            where=contract.where("tool"),
            fold=fold_of(contract),
            members=tuple(
                Cell(
                    id=f"{trial.id}/{check.item.id}",
                    check=check,
                    trials=(trial.id,) if answer.asked or not each.about_request else (),
                    fold=AllHold(),
                )
                for each, check in zip(expected, checks, strict=True)
            ),
        )
        for trial, answer in zip(trials, answers, strict=True)
    )
    unexercised = tuple(
        Cell(id=f"{file}/{check.item.id}", check=check, trials=(), fold=AllHold()) for check in checks
    )
    root = Group(
        id=file,
        title=contract.tool,
        kind=TITLE,
        where=contract.at.span,
        fold=FOLD,
        members=cases or unexercised,
        binding=not contract.is_draft,
        notes=tuple(notes),
    )
    return Plan(trials=trials, root=root)
