"""A contract and its cases as a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bylaw.checks import Demand, ItemCheck
from bylaw.checks.failing import ALLOWED, FailsAs
from bylaw.errors import Span
from bylaw.formats.format import Context
from bylaw.formats.packs.allowlist import Accepted as AcceptedCase
from bylaw.formats.packs.allowlist import accepted_cases
from bylaw.formats.packs.answers import Answers, FromRecordings
from bylaw.formats.packs.contracts import WORDS, Expectation, expectations, more_checks, read_contract
from bylaw.formats.packs.documents import ERROR_CLASSES, ContractFile, GoldenCase
from bylaw.formats.packs.roots import PackRoot, pack_file, root_of
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.reader import Source
from bylaw.scoring import Accepted, AllHold, Replicas
from bylaw.verdict import Item

TITLE = "ReplayCI contract"
DRAFT = "a draft (`status: observed`): judged and shown, nothing is enforced"


class How(msgspec.Struct, frozen=True, kw_only=True):
    """How contracts are judged: on whose answers, and on how many for each case."""

    answers: Answers = FromRecordings()
    repeat: int = 1


def plan_contract(source: Source, context: Context, how: How) -> Plan | None:
    """None where something is wrong with the contract, with everything that is in the context's problems."""
    contract = read_contract(source, context.problems)
    more = more_checks(source, context)
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
    judged = [case for case in contract.golden_cases if case.judged_by(how.answers.provider)]
    if not _inside(pack, contract.golden_cases, context):
        return None
    cases = _Cases(source.path, contract, pack, expectations(contract, more), how, accepted, context)
    root = Group(
        id=str(source.path),
        title=contract.tool,
        kind=TITLE,
        where=contract.at.span,
        fold=AllHold(words=WORDS),
        members=tuple(cases.group(case) for case in judged),
        binding=not contract.is_draft,
        notes=tuple(_notes(contract, how.answers.provider)),
    )
    return Plan(trials=tuple(cases.trials), root=root)


def _inside(pack: PackRoot, cases: Sequence[GoldenCase], context: Context) -> bool:
    """Whether all files of these cases lie in the pack; what a link leads elsewhere is neither read nor written."""
    good = True
    for case in cases:
        for path in (pack.golden(case.input_ref), pack.recording(case.input_ref)):
            if _leads_out(path, pack, context):
                said = f"`{pack.relative(path)}` leads out of the pack by a link"
                context.problems.add("leaves-pack", said, case.where("input_ref"))
                good = False
    return good


def _leads_out(path: Path, pack: PackRoot, context: Context) -> bool:
    """Folders are followed once: cases are many and lie in few of them."""
    inside = context.once(("inside", pack.root, path.parent), lambda: pack.holds(path.parent))
    return not inside or (path.is_symlink() and not pack.holds(path))


def _notes(contract: ContractFile, provider: str) -> Iterator[str]:
    if contract.is_draft:
        yield DRAFT
    others = [f"`{case.id}`" for case in contract.golden_cases if not case.judged_by(provider)]
    if others:
        yield f"not judged on answers of {provider}, as `provider_modes` says: {', '.join(others)}"


class _Cases:
    """The cases of one contract on their way into a plan."""

    def __init__(
        self,
        path: Path,
        contract: ContractFile,
        pack: PackRoot,
        expected: Sequence[Expectation],
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
        self._demands: list[tuple[str, Span, Demand]] = [(each.name, each.where, each.demand) for each in expected]
        held = tuple(entry.reason_code for entry in accepted if entry.holds_on(context.today))
        self._codes = (ALLOWED, *held) if contract.allowed else held
        self._notes = tuple(entry.note(context.today) for entry in accepted)

    def group(self, case: GoldenCase) -> Group:
        name = f"{self._path}#{case.id}"
        answering = self._how.answers.to(case, self._contract, self._pack)
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
        fold = AllHold(words=WORDS)
        return Group(
            id=name,
            title=case.id,
            kind="case",
            where=case.where("id"),
            fold=Accepted(fold=fold, codes=self._codes) if self._codes else fold,
            members=self._cells(case, name, trials),
            notes=self._notes + answering.notes,
        )

    def _cells(self, case: GoldenCase, name: str, trials: tuple[str, ...]) -> tuple[Cell, ...]:
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
            )
            for expectation, where, demand in judged
        )
