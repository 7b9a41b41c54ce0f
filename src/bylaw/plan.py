"""What will be run and judged, as data. Formats make plans, the harness runs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec

from bylaw.errors import NOWHERE, Span
from bylaw.evidence import Evidence, Need
from bylaw.verdict import Finding, Fold, Item


class Check(Protocol):
    """A pure function from evidence to a finding, for one item."""

    @property
    def item(self) -> Item: ...

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        """What to ask of the world: before the trial when there is no evidence yet, after it otherwise."""
        ...

    def judge(self, evidence: Evidence, /) -> Finding: ...


class Fault(Protocol):
    """A change to what a tool or the model answers."""

    @property
    def id(self) -> str: ...


class World(Protocol):
    """What a trial's agent finds around it, and who answers questions about it afterwards.

    `enter` prepares a world of the trial's own; what it yields lives until the trial's questions are answered.
    """

    def enter(self, trial: Trial, /) -> AbstractAsyncContextManager[Surroundings]: ...


class Surroundings(Protocol):
    """A prepared world: where the agent works, what it finds in its environment, and answers about both."""

    @property
    def directory(self) -> str | None: ...
    @property
    def environment(self) -> Mapping[str, str]: ...

    async def answer(self, need: Need, /) -> Any:
        """The answer, or `Unseen` raised with the reason why there is none."""
        ...


class Unseen(Exception):
    """A need that could not be answered; the message says why."""


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A state of the world: which faults, which surroundings, which parameters."""

    name: str = ""
    faults: tuple[Fault, ...] = ()
    world: World | None = None
    params: Mapping[str, str] = {}


CALM = Scenario()


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """How often a trial calls the agent and, as far as is known beforehand, a model."""

    agent_calls: int = 0
    model_calls: int = 0


class Subject(Protocol):
    """What is executed in a trial: an agent, or something that was recorded.

    `slots` bounds how many instances may exist at once; None is as many as the run allows.
    """

    @property
    def slots(self) -> int | None: ...
    @property
    def cost(self) -> Cost: ...

    def open(self) -> AbstractAsyncContextManager[Instance]: ...


class Instance(Protocol):
    """One running copy of a subject; it runs one trial at a time."""

    async def run(self, trial: Trial, surroundings: Surroundings | None, /) -> Evidence: ...


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One execution: the unit of running, seeding and resuming. `after` names trials whose evidence it rests on."""

    id: str
    subject: Subject
    prompt: str = ""
    scenario: Scenario = CALM
    replica: int = 0
    seed: int = 0
    after: tuple[str, ...] = ()


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One item and the trials it is judged on. `excluded` says why it does not apply at all."""

    id: str
    check: Check
    trials: tuple[str, ...]
    fold: Fold
    excluded: str = ""
    labels: Mapping[str, str] = {}


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Cells or groups under one rule. `weight`, `must` and `binding` say how it counts one level up."""

    id: str
    fold: Fold
    members: Sequence[Cell | Group]
    title: str = ""
    kind: str = ""
    where: Span = NOWHERE
    weight: float = 1.0
    must: bool = False
    binding: bool = True
    notes: tuple[str, ...] = ()

    def cells(self) -> Iterator[Cell]:
        for member in self.members:
            if isinstance(member, Cell):
                yield member
            else:
                yield from member.cells()


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything one run will do."""

    trials: Sequence[Trial]
    root: Group

    def cost(self) -> Cost:
        costs = [trial.subject.cost for trial in self.trials]
        return Cost(
            agent_calls=sum(cost.agent_calls for cost in costs),
            model_calls=sum(cost.model_calls for cost in costs),
        )


def join(plans: Sequence[Plan], *, fold: Fold) -> Plan:
    """One plan out of several: their groups side by side under one rule."""
    return Plan(
        trials=tuple(trial for plan in plans for trial in plan.trials),
        root=Group(id="<run>", fold=fold, members=tuple(plan.root for plan in plans)),
    )
