"""Plans are joined and counted without running anything."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager

import msgspec

from bylaw.evidence import Evidence, Need
from bylaw.journal import outline
from bylaw.plan import Cell, Cost, Group, Instance, Plan, Trial, join
from bylaw.scoring import AllHold
from bylaw.verdict import Finding, Item, Outcome


class Priced(msgspec.Struct, frozen=True, kw_only=True):
    """A subject that only says what it costs."""

    cost: Cost
    slots: int | None = None

    def open(self) -> AbstractAsyncContextManager[Instance]:
        raise AssertionError("nothing runs here")


class Always(msgspec.Struct, frozen=True, kw_only=True):
    item: Item

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return ()

    def judge(self, evidence: Evidence, /) -> Finding:
        return Finding(item=self.item, outcome=Outcome.passed)


def cell(name: str) -> Cell:
    return Cell(id=name, check=Always(item=Item(id=name, kind="demand")), trials=(), fold=AllHold())


def plan(name: str, *cells: str, trials: int, agent: int = 1, model: int = 0) -> Plan:
    subject = Priced(cost=Cost(agent_calls=agent, model_calls=model))
    inner = Group(id=f"{name}/inner", fold=AllHold(), members=tuple(cell(each) for each in cells))
    return Plan(
        trials=tuple(Trial(id=f"{name} {number}", subject=subject) for number in range(trials)),
        root=Group(id=name, fold=AllHold(), members=(inner,), title=name.upper()),
    )


def test_a_plan_says_beforehand_what_it_costs() -> None:
    assert plan("a", trials=3, agent=1, model=4).cost() == Cost(agent_calls=3, model_calls=12)
    assert plan("a", trials=0).cost() == Cost()


def test_joined_plans_stand_side_by_side() -> None:
    both = join([plan("a", "a1", "a2", trials=2), plan("b", "b1", trials=1, model=5)], fold=AllHold())
    assert [trial.id for trial in both.trials] == ["a 0", "a 1", "b 0"]
    assert [each.id for each in both.root.cells()] == ["a1", "a2", "b1"]
    assert both.cost() == Cost(agent_calls=3, model_calls=5)
    assert [(group.id, group.parent, group.title) for group in outline(both.root)] == [
        ("<run>", "", ""),
        ("a", "<run>", "A"),
        ("a/inner", "a", ""),
        ("b", "<run>", "B"),
        ("b/inner", "b", ""),
    ]


def test_no_plans_join_to_an_empty_one() -> None:
    nothing = join([], fold=AllHold())
    assert list(nothing.root.cells()) == []
    assert nothing.root.fold([]).state == "undecided"
