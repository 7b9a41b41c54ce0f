"""A contract and its cases as a plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bylaw.checks import Demand, ItemCheck
from bylaw.checks.failing import FailsAs, OnAnswer
from bylaw.errors import Span
from bylaw.formats.demands import read_demand
from bylaw.formats.format import Context
from bylaw.formats.packs.allowlist import Accepted as AcceptedCase
from bylaw.formats.packs.allowlist import accepted_cases
from bylaw.formats.packs.answers import Answers, FromRecordings
from bylaw.formats.packs.documents import ERROR_CLASSES, NOT_JUDGED, ContractFile, GoldenCase
from bylaw.formats.packs.roots import PackRoot, pack_file, root_of
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.reader import Bad, ListNode, MapNode, Problems, Source
from bylaw.reader.documents import read_record
from bylaw.scoring import Accepted, AllHold, Replicas
from bylaw.verdict import Item

TITLE = "ReplayCI contract"
WORDS = ("Pass", "Fail", "NonReproducible")
DRAFT = "a draft (`status: observed`): judged and shown, nothing is enforced"


class How(msgspec.Struct, frozen=True, kw_only=True):
    """How contracts are judged: on whose answers, and on how many for each case."""

    answers: Answers = FromRecordings()
    repeat: int = 1


def plan_contract(source: Source, context: Context, how: How) -> Plan | None:
    """None where something is wrong with the contract, with everything that is in the context's problems."""
    contract = _read(source, context.problems)
    more = _more_checks(source, context)
    pack = root_of(source.path)
    listed = pack_file(pack, context)
    accepted = [entry for entry in accepted_cases(pack, context) if entry.contract_path == pack.relative(source.path)]
    if contract is None or more is None:
        return None
    if listed is not None and listed.contracts is not None and pack.relative(source.path) not in listed.contracts:
        said = "the pack does not list this contract"
        context.problems.add(
            "not-listed", said, contract.at.span, hint=f"add it to `{pack.root}/pack.yaml`", level="warning"
        )
    demands = [*contract.demands(), *more]
    cases = _Cases(source.path, contract, pack, demands, how, accepted, context)
    groups = [cases.group(case) for case in contract.golden_cases]
    root = Group(
        id=str(source.path),
        title=contract.tool,
        kind=TITLE,
        where=contract.at.span,
        fold=AllHold(words=WORDS),
        members=tuple(groups),
        binding=not contract.is_draft,
        notes=(DRAFT,) if contract.is_draft else (),
    )
    return Plan(trials=tuple(cases.trials), root=root)


class _Cases:
    """The cases of one contract on their way into a plan."""

    def __init__(
        self,
        path: Path,
        contract: ContractFile,
        pack: PackRoot,
        demands: Sequence[tuple[str, Demand]],
        how: How,
        accepted: Sequence[AcceptedCase],
        context: Context,
    ) -> None:
        self.trials: list[Trial] = []
        self._path = path
        self._contract = contract
        self._pack = pack
        self._how = how
        self._context = context
        self._data = {} if contract.side_effect is None else {"side_effect": contract.side_effect}
        self._demands: list[tuple[str, Span, Demand]] = [
            (name, contract.line_of(name, demand), OnAnswer(demand=demand, allowed=contract.allowed, at=demand.at))
            for name, demand in demands
        ]
        self._codes = tuple(entry.reason_code for entry in accepted if entry.holds_on(context.today))
        self._notes = tuple(entry.note(context.today) for entry in accepted)

    def group(self, case: GoldenCase) -> Group:
        name = f"{self._path}#{case.id}"
        excluded = ""
        notes = self._notes
        trials: tuple[str, ...] = ()
        if case.judged_by(self._how.answers.provider):
            answering = self._how.answers.to(case, self._contract, self._pack)
            notes += answering.notes
            trials = tuple(name if not number else f"{name} / {number + 1}" for number in range(self._how.repeat))
            self.trials += [
                Trial(
                    id=trial,
                    subject=answering.subject,
                    replica=number,
                    seed=self._context.seed_for(str(self._path), case.id, str(number)),
                )
                for number, trial in enumerate(trials)
            ]
        else:
            excluded = f"`provider_modes` leaves {self._how.answers.provider} out"
        fold = AllHold(words=WORDS)
        return Group(
            id=name,
            title=case.id,
            kind="case",
            where=case.where("id"),
            fold=Accepted(fold=fold, codes=self._codes) if self._codes else fold,
            members=self._cells(case, name, trials, excluded),
            notes=notes,
        )

    def _cells(self, case: GoldenCase, name: str, trials: tuple[str, ...], excluded: str) -> tuple[Cell, ...]:
        judged = self._demands
        if case.expected_error is not None:
            parts = tuple(demand for _, _, demand in self._demands)
            fails = FailsAs(code=case.expected_error, order=ERROR_CLASSES, parts=parts)
            judged = [(f"fails with {case.expected_error}", case.where("expected_error"), fails)]
        return tuple(
            Cell(
                id=f"{name}/{expectation}",
                check=ItemCheck(
                    item=Item(id=expectation, kind="expectation", where=where, data=self._data), demand=demand
                ),
                trials=trials,
                fold=AllHold() if len(trials) < 2 else Replicas(rule="same", words=WORDS),
                excluded=excluded,
            )
            for expectation, where, demand in judged
        )


def _read(source: Source, problems: Problems) -> ContractFile | None:
    """With keys of the format's newer uses passed over, which is said."""
    found = read_record(ContractFile, source.root, problems, beside=frozenset(NOT_JUDGED))
    if isinstance(source.root, MapNode):
        for key, entry in source.root.entries.items():
            if key in NOT_JUDGED:
                problems.add(
                    "not-judged", f"`{key}` is not judged here", entry.where, hint=NOT_JUDGED[key], level="warning"
                )
    return None if isinstance(found, Bad) else found


def _more_checks(source: Source, context: Context) -> list[tuple[str, Demand]] | None:
    """The checks listed under `checks`, or None where one of them is wrong."""
    listed = source.root.get("checks") if isinstance(source.root, MapNode) else None
    if listed is None:
        return []
    nodes = listed.items if isinstance(listed, ListNode) else []
    found = [read_demand(node, beside=None, file=source.path, context=context) for node in nodes]
    good = [demand for demand in found if not isinstance(demand, Bad)]
    if len(good) < len(found):
        return None
    named = [(f"check {number}", demand) for number, demand in enumerate(good, 1)]
    for _, demand in named:
        if demand.world:
            context.problems.add("needs-sandbox", "a model's answer has no end state to look at", demand.at.span)
    return named
