"""Agents, worlds and listeners that break: told in the trial's evidence, cleaned up, and the run goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from bylaw import journal
from bylaw.errors import BylawError
from bylaw.evidence import Evidence
from bylaw.plan import Cost, Instance, Surroundings, Trial
from bylaw.verdict import Outcome

from .fakes import Room, Script, cell, echo, plan, run_heard, trial


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (BylawError("`agent.py` has no function `main`"), "`agent.py` has no function `main`"),
        (RuntimeError("boom"), "RuntimeError: boom"),
        (SystemExit(3), "SystemExit: 3"),
        (asyncio.CancelledError(), "CancelledError"),
    ],
)
def test_an_agent_that_raises_ends_its_trial_alone(problem: BaseException, told: str) -> None:
    async def sometimes(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        if trial.id == "t1":
            raise problem
        return await echo(trial, surroundings)

    subject = Script(sometimes, slots=1)
    trials = [trial(f"t{number}", subject) for number in range(4)]
    verdict, heard = run_heard(plan(trials, *(cell(t.id, t.id) for t in trials)))
    finding = heard.finding("t1")
    assert (finding.outcome, finding.code) == (Outcome.error, "trial_error")
    assert finding.reason == heard.evidence("t1").error == f"the agent could not be run: {told}"
    assert [heard.finding(name).outcome for name in ("t0", "t2", "t3")] == [Outcome.passed] * 3
    assert verdict.state == "undecided"
    assert subject.runs_of == [["t0", "t1"], ["t2", "t3"]]
    assert (subject.most_open, subject.open_now) == (1, 0)


class NeverOpens:
    slots: int | None = 2
    cost = Cost()

    def __init__(self, problem: BaseException) -> None:
        self.tries = 0
        self._problem = problem

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Instance]:
        self.tries += 1
        await asyncio.sleep(0)
        raise self._problem
        yield


@pytest.mark.parametrize("problem", [OSError("no such file"), SystemExit("no such file"), asyncio.CancelledError()])
def test_an_agent_that_never_opens_gives_each_trial_its_error(problem: BaseException) -> None:
    subject = NeverOpens(problem)
    trials = [trial(f"t{number}", subject) for number in range(5)]
    verdict, heard = run_heard(plan(trials, *(cell(t.id, t.id) for t in trials)))
    assert subject.tries == 5
    errors = {ended.evidence.error or "" for ended in heard.of(journal.TrialEnded)}
    assert len(errors) == 1
    assert errors.pop().startswith(f"the agent could not be started: {type(problem).__name__}")
    assert verdict.state == "undecided"


class Shaky:
    """A world that breaks on the way in or on the way out."""

    def __init__(self, *, on: str) -> None:
        self._on = on

    @asynccontextmanager
    async def enter(self, trial: Trial, /) -> AsyncIterator[Surroundings]:
        if self._on == "enter":
            raise OSError("disk full")
        yield Room()
        raise OSError("still mounted")


def test_a_world_that_can_not_be_prepared_ends_the_trial_and_keeps_the_agent() -> None:
    subject = Script(slots=1)
    trials = [trial("t1", subject, world=Shaky(on="enter")), trial("t2", subject)]
    _, heard = run_heard(plan(trials, cell("a", "t1"), cell("b", "t2")))
    assert heard.finding("a").reason == "the world could not be prepared: OSError: disk full"
    assert heard.finding("b").outcome is Outcome.passed
    assert subject.runs_of == [["t2"]]


def test_a_world_that_can_not_be_left_is_told_and_keeps_what_was_seen() -> None:
    verdict, heard = run_heard(plan([trial("t1", Script(), world=Shaky(on="leave"))], cell("a", "t1")))
    evidence = heard.evidence("t1")
    assert (evidence.output, evidence.error) == ("passed", "the world could not be left: OSError: still mounted")
    assert heard.finding("a").code == "trial_error"
    assert verdict.state == "undecided"


def test_what_a_subject_calls_its_error_is_the_code_of_the_finding() -> None:
    async def refuse(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        return Evidence(error="the recording has no answer", error_code="no_recording")

    world = Shaky(on="leave")
    _, heard = run_heard(plan([trial("t1", Script(refuse), world=world)], cell("a", "t1")))
    finding = heard.finding("a")
    assert (finding.outcome, finding.code) == (Outcome.error, "no_recording")
    assert finding.reason == "the recording has no answer; the world could not be left: OSError: still mounted"


class Fragile:
    """A subject whose context manager is given by the test."""

    slots: int | None = 1
    cost = Cost()

    def __init__(self, opens: Callable[[Instance], AbstractAsyncContextManager[Instance]]) -> None:
        self.opened = 0
        self._opens = opens

    def open(self) -> AbstractAsyncContextManager[Instance]:
        self.opened += 1
        return self._opens(self)

    async def run(self, trial: Trial, surroundings: Surroundings | None, /) -> Evidence:
        return await echo(trial, surroundings)


def test_an_agent_that_can_not_be_closed_is_told_and_its_trials_stand(caplog: pytest.LogCaptureFixture) -> None:
    @asynccontextmanager
    async def sticky(instance: Instance) -> AsyncIterator[Instance]:
        yield instance
        raise OSError("will not die")

    verdict, _ = run_heard(plan([trial("t1", Fragile(sticky))], cell("a", "t1")))
    assert verdict.state == "held"
    assert caplog.record_tuples == [
        ("bylaw.harness", logging.WARNING, "an agent could not be closed: OSError: will not die")
    ]


def test_an_idle_agent_that_ended_by_itself_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    """Its process dies while another trial has the only worker: the next trial gets a new one."""

    @asynccontextmanager
    async def mortal(instance: Instance) -> AsyncIterator[Instance]:
        async with asyncio.TaskGroup() as tasks:
            dying = tasks.create_task(die())
            yield instance
            dying.cancel()

    killed = asyncio.Event()

    async def die() -> None:
        await killed.wait()
        raise OSError("killed")

    async def kill(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        killed.set()
        for _ in range(5):
            await asyncio.sleep(0)
        killed.clear()
        return await echo(trial, surroundings)

    agent, killer = Fragile(mortal), Script(kill)
    trials = [trial("a0", agent), trial("k0", killer), trial("a1", agent, after=["k0"])]
    verdict, _ = run_heard(plan(trials, *(cell(t.id, t.id) for t in trials)), jobs=1)
    assert verdict.state == "held"
    assert agent.opened == 2
    assert [record.name for record in caplog.records] == ["bylaw.harness"]


@pytest.mark.parametrize("kind", [journal.Started, journal.TrialEnded, journal.CellJudged, journal.GroupJudged])
def test_what_a_listener_raises_comes_out_after_everything_is_closed(kind: type[journal.Event]) -> None:
    log: list[str] = []
    subject = Script()

    def broken(event: journal.Event) -> None:
        if isinstance(event, kind):
            raise BrokenPipeError("stdout")

    trials = [trial(f"t{number}", subject, world=Room(log=log)) for number in range(9)]
    with pytest.raises(BrokenPipeError, match="stdout"):
        run_heard(plan(trials, *(cell(t.id, t.id) for t in trials)), jobs=3, also=[broken])
    assert subject.open_now == 0
    assert sorted(line.removeprefix("enter ") for line in log if line.startswith("enter")) == sorted(
        line.removeprefix("leave ") for line in log if line.startswith("leave")
    )
