"""Subjects, worlds and checks that do what a test tells them and remember what was done to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from bylaw import journal
from bylaw.evidence import Evidence, Need
from bylaw.harness import Answerer, Clock, Stop, run_plan
from bylaw.plan import CALM, Cell, Cost, Group, Instance, Plan, Scenario, Surroundings, Trial
from bylaw.scoring import AllHold
from bylaw.verdict import Finding, Fold, Item, Outcome, Verdict

ALL_HOLD = AllHold()
FROZEN = Clock(wall=lambda: 1_700_000_000.0, monotonic=lambda: 5.0)

Behaviour = Callable[[Trial, Surroundings | None], Awaitable[Evidence]]
E = TypeVar("E")


async def echo(trial: Trial, _surroundings: Surroundings | None) -> Evidence:
    """Answers with its prompt, after letting others go first."""
    await asyncio.sleep(0)
    return Evidence(output=trial.prompt)


class Script:
    """A subject that behaves as told. `most` and `most_open`: how many trials and instances it ever had at once."""

    cost = Cost(agent_calls=1)

    def __init__(self, behave: Behaviour = echo, *, slots: int | None = None) -> None:
        self.slots = slots
        self.ran: list[str] = []
        self.runs_of: list[list[str]] = []
        self.closed = 0
        self.running = 0
        self.most = 0
        self.most_open = 0
        self._behave = behave

    @property
    def opened(self) -> int:
        return len(self.runs_of)

    @property
    def open_now(self) -> int:
        return self.opened - self.closed

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Instance]:
        runs: list[str] = []
        self.runs_of.append(runs)
        self.most_open = max(self.most_open, self.open_now)
        try:
            yield ScriptInstance(self, runs)
        finally:
            await asyncio.sleep(0)
            self.closed += 1

    async def run_one(self, trial: Trial, surroundings: Surroundings | None) -> Evidence:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            return await self._behave(trial, surroundings)
        finally:
            self.running -= 1
            self.ran.append(trial.id)


class ScriptInstance:
    def __init__(self, script: Script, runs: list[str]) -> None:
        self._script = script
        self._runs = runs

    async def run(self, trial: Trial, surroundings: Surroundings | None, /) -> Evidence:
        self._runs.append(trial.id)
        return await self._script.run_one(trial, surroundings)


class Room:
    """A world in memory: `answers` by kind of need. `log` is everything that happened in it, in order."""

    directory: str | None = "/nowhere"

    def __init__(self, answers: Mapping[str, Any] | None = None, *, log: list[str] | None = None) -> None:
        self.log = log if log is not None else []
        self.environment: Mapping[str, str] = {}
        self._answers = answers or {}

    @asynccontextmanager
    async def enter(self, trial: Trial, /) -> AsyncIterator[Surroundings]:
        self.log.append(f"enter {trial.id}")
        try:
            yield self
        finally:
            await asyncio.sleep(0)
            self.log.append(f"leave {trial.id}")

    async def answer(self, need: Need, /) -> Any:
        self.log.append(f"{need.at} {need.kind}")
        found = self._answers[need.kind]
        if isinstance(found, Exception):
            raise found
        return found


class Rule:
    """A check made of two functions."""

    def __init__(
        self,
        judge: Callable[[Evidence], Outcome],
        *,
        item: Item,
        needs: Callable[[Evidence | None], Iterable[Need]] = lambda _: (),
    ) -> None:
        self.item = item
        self._judge = judge
        self._needs = needs

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return self._needs(evidence)

    def judge(self, evidence: Evidence, /) -> Finding:
        outcome = self._judge(evidence)
        return Finding(item=self.item, outcome=outcome, score=float(outcome is Outcome.passed), code=outcome.value)


def says(evidence: Evidence) -> Outcome:
    """The outcome the agent named in its answer."""
    return Outcome(evidence.output or "")


def item(name: str = "rule", *, weight: float = 1.0, must: bool = False, binding: bool = True) -> Item:
    return Item(id=name, kind="fake", weight=weight, must=must, binding=binding)


def rule(
    judge: Callable[[Evidence], Outcome] = says,
    *,
    of: Item | None = None,
    needs: Callable[[Evidence | None], Iterable[Need]] = lambda _: (),
) -> Rule:
    return Rule(judge, item=of or item(), needs=needs)


def asking(*needs: Need) -> Callable[[Evidence | None], Iterable[Need]]:
    return lambda _evidence: needs


def trial(
    name: str, subject: Script | Any, says: str = "passed", *, world: Any = None, after: Sequence[str] = ()
) -> Trial:
    scenario = CALM if world is None else Scenario(name="room", world=world)
    return Trial(id=name, subject=subject, prompt=says, scenario=scenario, after=tuple(after))


def cell(name: str, *trials: str, check: Rule | Any = None, fold: Fold = ALL_HOLD, excluded: str = "") -> Cell:
    return Cell(id=name, check=check or rule(), trials=trials, fold=fold, excluded=excluded)


def group(name: str, *members: Cell | Group, fold: Fold = ALL_HOLD) -> Group:
    return Group(id=name, fold=fold, members=members)


def plan(trials: Sequence[Trial], *members: Cell | Group, fold: Fold = ALL_HOLD) -> Plan:
    return Plan(trials=tuple(trials), root=group("run", *members, fold=fold))


class Heard(list[journal.Event]):
    """A listener that keeps what it heard."""

    def __call__(self, event: journal.Event) -> None:
        self.append(event)

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self if isinstance(event, kind)]

    def finding(self, cell: str) -> journal.Conclusion:
        """The only conclusion about a cell."""
        (judged,) = [event for event in self.of(journal.CellJudged) if event.cell == cell]
        (conclusion,) = judged.conclusions
        return conclusion

    def evidence(self, trial: str) -> Evidence:
        (ended,) = [event for event in self.of(journal.TrialEnded) if event.trial == trial]
        return ended.evidence


def run_heard(
    plan: Plan,
    *,
    jobs: int = 4,
    answerers: Mapping[str, Answerer] | None = None,
    stop: Stop | None = None,
    also: Sequence[journal.Listener] = (),
) -> tuple[Verdict, Heard]:
    heard = Heard()
    verdict = asyncio.run(
        run_plan(plan, jobs=jobs, listen=[heard, *also], answerers=answerers or {}, stop=stop, clock=FROZEN)
    )
    return verdict, heard
