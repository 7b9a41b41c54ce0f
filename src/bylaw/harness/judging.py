"""Cells and groups: findings gathered as trials end, folded as soon as the last one is there."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from itertools import accumulate

import msgspec

from bylaw import journal
from bylaw.evidence import Evidence
from bylaw.harness.borders import check_error
from bylaw.plan import Cell, Check, Group, Plan, Trial
from bylaw.verdict import Finding, Item, Outcome, Verdict

NOT_RUN = Verdict(state="undecided", word="not run", low=0.0, high=1.0)


def counted(verdict: Verdict, by: Item | Group) -> Verdict:
    """How a verdict counts one level up is the file's to say; a fold that enforced nothing never binds."""
    binding = by.binding and verdict.binding
    if verdict.weight == by.weight and verdict.must == by.must and verdict.binding == binding:
        return verdict
    return msgspec.structs.replace(verdict, weight=by.weight, must=by.must, binding=binding)


def judge(check: Check, evidence: Evidence, *, broken: Mapping[int, Finding]) -> Finding:
    """`broken` has a finding for each check that could not even ask its questions, by the check's identity."""
    if evidence.error is not None:
        return Finding(item=check.item, outcome=Outcome.error, code=evidence.error_code, reason=evidence.error)
    if id(check) in broken:
        return broken[id(check)]
    try:
        return check.judge(evidence)
    except Exception as problem:  # noqa: BLE001 - a check's border: it becomes this cell's finding, others are judged
        return check_error(check, problem)


def _without_trials(cell: Cell) -> Finding:
    item = cell.check.item
    if cell.excluded:
        return Finding(item=item, outcome=Outcome.not_applicable, code="excluded", reason=cell.excluded)
    return Finding(item=item, outcome=Outcome.not_exercised, code="no_trials", reason="nothing ran for it")


class Tally:
    """What is known of one group's members, in plan order."""

    __slots__ = ("group", "missing", "parent", "place", "verdicts")

    def __init__(self, group: Group, *, parent: Tally | None, place: int) -> None:
        self.group = group
        self.parent = parent
        self.place = place
        self.missing = len(group.members)
        self.verdicts = [NOT_RUN] * self.missing


class Judging:
    """Judges each trial's evidence for the cells that rest on it, and forgets it.

    Cells are numbered in plan order. Those that rest on trial `n` are the stretch of `_resting` from `_starts[n]` to
    `_starts[n + 1]`; `_missing` counts the trials a cell still waits for.
    """

    def __init__(self, plan: Plan, *, numbers: Mapping[str, int], tell: journal.Listener) -> None:
        self.verdict = NOT_RUN
        self._tell = tell
        self._cells: list[Cell] = []
        self._owners: list[Tally] = []
        self._places = array("I")
        self._findings: dict[int, dict[str, Finding]] = {}
        self._empty: list[Tally] = []
        self._walk(plan.root, parent=None, place=0)
        self._missing = array("I", (0 if cell.excluded else len(cell.trials) for cell in self._cells))
        self._starts, self._resting = self._index(numbers)

    @property
    def cells(self) -> int:
        return len(self._cells)

    def _walk(self, group: Group, *, parent: Tally | None, place: int) -> None:
        tally = Tally(group, parent=parent, place=place)
        if not tally.missing:
            self._empty.append(tally)
        for position, member in enumerate(group.members):
            if isinstance(member, Group):
                self._walk(member, parent=tally, place=position)
            else:
                self._cells.append(member)
                self._owners.append(tally)
                self._places.append(position)

    def _index(self, numbers: Mapping[str, int]) -> tuple[array[int], array[int]]:
        sizes = array("I", [0]) * (len(numbers) + 1)
        for _, trial in self._judged_on(numbers):
            sizes[trial + 1] += 1
        starts = array("I", accumulate(sizes))
        resting = array("I", [0]) * starts[-1]
        free = starts[:]
        for cell, trial in self._judged_on(numbers):
            resting[free[trial]] = cell
            free[trial] += 1
        return starts, resting

    def _judged_on(self, numbers: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        for number, cell in enumerate(self._cells):
            for name in () if cell.excluded else cell.trials:
                if name not in numbers:
                    raise ValueError(f"cell `{cell.id}` is judged on `{name}`, which is no trial of the plan")
                yield number, numbers[name]

    def checks(self, trial: int) -> list[Check]:
        """The checks that look at a trial, each once however many cells share it."""
        return list({id(check): check for check in (self._cells[cell].check for cell in self._on(trial))}.values())

    def _on(self, trial: int) -> array[int]:
        return self._resting[self._starts[trial] : self._starts[trial + 1]]

    def begin(self) -> None:
        """Judges what needs no trial."""
        for tally in self._empty:
            self._fold_group(tally)
        for number, cell in enumerate(self._cells):
            if not self._missing[number]:
                self._fold_cell(number, [(None, _without_trials(cell))])

    def end_trial(self, number: int, trial: Trial, evidence: Evidence, *, broken: Mapping[int, Finding]) -> None:
        for cell in self._on(number):
            self._conclude(cell, trial.id, judge(self._cells[cell].check, evidence, broken=broken))

    def finish(self) -> Verdict:
        """What is still open counts as not run, and is not told as judged."""
        for number, cell in enumerate(self._cells):
            if self._missing[number]:
                self._settle(self._owners[number], self._places[number], counted(NOT_RUN, cell.check.item))
        return self.verdict

    def _conclude(self, number: int, trial: str, finding: Finding) -> None:
        self._missing[number] -= 1
        findings = self._findings.setdefault(number, {})
        findings[trial] = finding
        if not self._missing[number]:
            del self._findings[number]
            self._fold_cell(number, [(name, findings[name]) for name in self._cells[number].trials])

    def _fold_cell(self, number: int, findings: list[tuple[str | None, Finding]]) -> None:
        cell, owner = self._cells[number], self._owners[number]
        verdict = counted(cell.fold([finding for _, finding in findings]), cell.check.item)
        self._tell(journal.cell_judged(cell, owner.group, findings, verdict))
        self._settle(owner, self._places[number], verdict)

    def _settle(self, tally: Tally, place: int, verdict: Verdict) -> None:
        tally.verdicts[place] = verdict
        tally.missing -= 1
        if not tally.missing:
            self._fold_group(tally)

    def _fold_group(self, tally: Tally) -> None:
        group = tally.group
        verdict = counted(group.fold(tally.verdicts), group)
        tally.verdicts = []
        self._tell(journal.GroupJudged(group=group.id, verdict=verdict))
        if tally.parent is None:
            self.verdict = verdict
        else:
            self._settle(tally.parent, tally.place, verdict)
