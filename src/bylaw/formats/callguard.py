"""CallGuard bundles: what a tool call may do. The examples of a bundle, or witnesses made for it, are its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from bylaw.agents.recorded import Recorded
from bylaw.checks import ItemCheck
from bylaw.checks.policies import RuleFires
from bylaw.evidence import Answer, Evidence, ToolCall
from bylaw.formats.bundles import Bundle, Contract, Placed, Post, Pre, compose, read_bundle, rule_of
from bylaw.formats.bundles.compiling import item_of
from bylaw.formats.bundles.documents import Example
from bylaw.formats.format import Context, Format
from bylaw.language.expressions import ExpressionShape
from bylaw.language.witnesses import why_no_witness, witness
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.policy import Rule
from bylaw.reader import MapNode, Scalar, Source, schema
from bylaw.scoring import AllHold
from bylaw.verdict import Finding, Item, Outcome


def _plan(source: Source, context: Context) -> Plan | None:
    bundle = read_bundle(source, context.problems)
    if bundle is None:
        return None
    trials: list[Trial] = []
    cells: list[Cell] = []
    for placed in compose([bundle]).contracts:
        for trial, cell in _cells(placed, str(source.path)):
            trials += [trial] if trial is not None else []
            cells.append(cell)
    root = Group(
        id=str(source.path),
        title=bundle.metadata.name,
        kind=FORMAT.title,
        where=bundle.at.span,
        fold=AllHold(),
        members=tuple(cells),
    )
    return Plan(trials=tuple(trials), root=root)


def _cells(placed: Placed, file: str) -> Iterator[tuple[Trial | None, Cell]]:
    contract = placed.contract
    if not isinstance(contract, (Pre, Post)):
        yield None, _without_trial(placed, file, "its limits are counted while an agent runs")
        return
    rule = rule_of(contract, placed.mode)
    cases = list(contract.cases())
    if not any(key == contract.effect for key, _ in cases):
        yield _by_witness(placed, contract, rule, file)
    numbers = Counter[str]()
    for key, example in cases:
        numbers[key] += 1
        name = f"{contract.id}: {key} example {numbers[key]}"
        item = Item(id=name, kind="example", where=example.at.span, data={"contract": contract.id})
        yield _tried(contract, item, rule, _call(example, contract), file, wanted=key != "allow")


def _by_witness(placed: Placed, contract: Pre | Post, rule: Rule, file: str) -> tuple[Trial | None, Cell]:
    """A contract that shows no call it fires on gets one made for it; where none is found it was never exercised."""
    call = witness(contract.when, tools=contract.names, is_for=contract.is_for)
    if call is None:
        return _without_witness(placed, contract, file)
    item = Item(
        id=f"{contract.id}: fires on a call made for it",
        kind="witness",
        where=contract.where("when"),
        data={"contract": contract.id},
    )
    return _tried(contract, item, rule, call, file, wanted=True)


def _tried(
    contract: Contract, item: Item, rule: Rule, call: ToolCall, file: str, *, wanted: bool
) -> tuple[Trial | None, Cell]:
    trial = Trial(id=f"{file}#{item.id}", subject=Recorded(evidence=Evidence(events=(call,))))
    excluded = "" if contract.enabled else f"`{contract.id}` is not enabled"
    check = ItemCheck(item=item, demand=RuleFires(rule=rule, wanted=wanted))
    cell = Cell(id=trial.id, check=check, trials=(trial.id,), fold=AllHold(), excluded=excluded)
    return None if excluded else trial, cell


def _call(example: Example, contract: Pre | Post) -> ToolCall:
    return ToolCall(
        tool=example.tool or contract.only_tool or "",
        args=example.args,
        environment=example.environment,
        principal=example.principal,
        answer=None if example.output is None else Answer(text=example.output),
    )


def _without_trial(placed: Placed, file: str, excluded: str) -> Cell:
    """A contract nothing exercises: said, and no success; limits and what is not enabled do not apply here."""
    contract = placed.contract
    if not contract.enabled:
        excluded = f"`{contract.id}` is not enabled"
    item = item_of(contract, placed.mode, kind="contract")
    return Cell(
        id=f"{file}#{contract.id}", check=_Unexercised(item=item), trials=(), fold=AllHold(), excluded=excluded
    )


def _without_witness(placed: Placed, contract: Pre | Post, file: str) -> tuple[Trial | None, Cell]:
    """Its trial is that it was looked for: there is a finding that says why none was found."""
    why = why_no_witness(contract.when, tools=contract.names, is_for=contract.is_for)
    excluded = "" if contract.enabled else f"`{contract.id}` is not enabled"
    trial = Trial(id=f"{file}#{contract.id}", subject=Recorded(evidence=Evidence()))
    item = item_of(contract, placed.mode, kind="contract")
    reason = f"{why}; if it can fire, show how under `examples: {contract.effect}:`"
    check = _Unexercised(item=item, reason=reason)
    cell = Cell(id=trial.id, check=check, trials=(trial.id,), fold=AllHold(), excluded=excluded)
    return None if excluded else trial, cell


class _Unexercised(msgspec.Struct, frozen=True, kw_only=True):
    """Stands for a contract that nothing exercises, and says why."""

    item: Item
    reason: str = ""

    def needs(self, evidence: Evidence | None, /) -> tuple[()]:
        return ()

    def judge(self, evidence: Evidence, /) -> Finding:
        return Finding(item=self.item, outcome=Outcome.not_exercised, code="no_witness", reason=self.reason)


def _claims(root: MapNode, _: Path) -> bool:
    version = root.get("apiVersion")
    named = isinstance(version, Scalar) and str(version.value).startswith("callguard")
    return named or ("contracts" in root.entries and bool(root.entries.keys() & {"apiVersion", "defaults"}))


def _schema() -> dict[str, Any]:
    return {**schema(Bundle, title=FORMAT.title), "$defs": ExpressionShape().definitions()}


FORMAT = Format(name="callguard", title="CallGuard bundle", claims=_claims, plan=_plan, schema=_schema)
