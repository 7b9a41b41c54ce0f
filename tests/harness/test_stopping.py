"""Ending early: what is finished stays, what is not counts as not run, and everything is cleaned up."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from bylaw import journal
from bylaw.evidence import Evidence
from bylaw.harness import Stop, run, run_plan
from bylaw.plan import Instance, Plan, Surroundings, Trial
from bylaw.scoring import Replicas
from bylaw.verdict import Verdict

from .fakes import FROZEN, Heard, Room, Script, ScriptInstance, cell, echo, group, item, plan, rule, run_heard, trial


async def stuck(trial: Trial, surroundings: Surroundings | None) -> Evidence:
    """Ends only when its prompt is an outcome."""
    if trial.prompt == "stuck":
        await asyncio.Event().wait()
    return await echo(trial, surroundings)


def stop_after(stop: Stop, ended: int) -> journal.Listener:
    """Asks for the stop when that many trials have ended."""
    count = 0

    def listen(event: journal.Event) -> None:
        nonlocal count
        count += isinstance(event, journal.TrialEnded)
        if count == ended:
            stop.request("interrupted")

    return listen


def half_stuck(subject: Script, room: Room) -> Plan:
    names = {"t0": "passed", "t1": "passed", "t2": "stuck", "t3": "stuck", "t4": "passed"}
    return plan(
        [trial(name, subject, says, world=room) for name, says in names.items()],
        group("done", cell("a", "t0"), cell("b", "t1")),
        group("part", cell("c", "t1"), cell("d", "t1", "t2", fold=Replicas()), cell("e", "t4")),
    )


def test_what_is_finished_stays_and_the_rest_was_not_run() -> None:
    subject, room, stop = Script(stuck), Room(), Stop()
    verdict, heard = run_heard(half_stuck(subject, room), jobs=2, stop=stop, also=[stop_after(stop, 2)])
    assert [ended.trial for ended in heard.of(journal.TrialEnded)] == ["t0", "t1"]
    assert [judged.cell for judged in heard.of(journal.CellJudged)] == ["a", "b", "c"]
    found = {judged.group: judged.verdict for judged in heard.of(journal.GroupJudged)}
    assert (found["done"].state, found["part"].state, found["run"].state) == ("held", "undecided", "undecided")
    assert (found["part"].low, found["part"].high) == (1 / 3, 1.0)
    assert heard.of(journal.Ended) == [journal.Ended(verdict=verdict, ms=0.0, stopped="interrupted")]
    assert heard[-1] is heard.of(journal.Ended)[0]


def test_what_was_running_is_cleaned_up() -> None:
    subject, room, stop = Script(stuck), Room(), Stop()
    run_heard(half_stuck(subject, room), jobs=3, stop=stop, also=[stop_after(stop, 2)])
    assert subject.running == 0
    assert subject.open_now == 0
    entered = {line.removeprefix("enter ") for line in room.log if line.startswith("enter")}
    left = {line.removeprefix("leave ") for line in room.log if line.startswith("leave")}
    assert "t2" in entered
    assert entered == left
    assert "t4" not in entered


def test_what_was_not_run_counts_as_its_item_says() -> None:
    counted: list[Verdict] = []

    def fold(parts: object) -> Verdict:
        assert isinstance(parts, list)
        counted.extend(parts)
        return Verdict(state="undecided", word="?")

    stop = Stop()
    stop.request("out of budget")
    subject = Script()
    made = plan(
        [trial("t1", subject)],
        cell("a", "t1", check=rule(of=item(weight=2.0, must=True))),
        cell("b", "t1", check=rule(of=item(binding=False))),
        fold=fold,
    )
    _, heard = run_heard(made, stop=stop)
    assert counted == [
        Verdict(state="undecided", word="not run", low=0.0, high=1.0, weight=2.0, must=True),
        Verdict(state="undecided", word="not run", low=0.0, high=1.0, binding=False),
    ]
    assert subject.opened == 0
    assert [type(event).__name__ for event in heard] == ["Started", "GroupJudged", "Ended"]
    assert heard.of(journal.Ended)[0].stopped == "out of budget"


def test_a_stop_after_the_last_trial_stopped_nothing() -> None:
    stop = Stop()
    made = plan([trial("t1", Script())], cell("a", "t1"))
    verdict, heard = run_heard(made, stop=stop, also=[stop_after(stop, 1)])
    assert verdict.state == "held"
    assert heard.of(journal.Ended)[0].stopped == ""


@pytest.mark.parametrize("reaction", ["an answer", "an error"])
def test_what_an_agent_makes_of_being_cancelled_is_not_evidence(reaction: str) -> None:
    async def stubborn(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        try:
            return await stuck(trial, surroundings)
        except asyncio.CancelledError:
            if reaction == "an error":
                raise ConnectionError("agent killed") from None
            return Evidence(output="failed")

    subject, stop = Script(stubborn), Stop()
    made = plan([trial("t0", subject), trial("t1", subject, "stuck")], cell("a", "t0"), cell("b", "t1"))
    _, heard = run_heard(made, stop=stop, also=[stop_after(stop, 1)])
    assert [judged.cell for judged in heard.of(journal.CellJudged)] == ["a"]
    assert subject.open_now == 0


def test_a_world_that_is_being_left_is_left_in_full_and_its_trial_counts() -> None:
    log: list[str] = []

    class Slow(Room):
        @asynccontextmanager
        async def enter(self, trial: Trial, /) -> AsyncIterator[Surroundings]:
            yield self
            stop.request("interrupted")
            for step in range(3):
                await asyncio.sleep(0)
                log.append(f"left {step}")

    stop = Stop()
    subject = Script()
    made = plan(
        [trial("t0", subject, world=Slow()), trial("t1", subject)],
        cell("a", "t0"),
        cell("b", "t1"),
    )
    _, heard = run_heard(made, jobs=1, stop=stop)
    assert log == ["left 0", "left 1", "left 2"]
    assert [judged.cell for judged in heard.of(journal.CellJudged)] == ["a"]
    assert heard.of(journal.Ended)[0].stopped == "interrupted"


def test_a_world_that_swallows_the_cancelling_does_not_make_its_trial_count() -> None:
    class Forgiving(Room):
        @asynccontextmanager
        async def enter(self, trial: Trial, /) -> AsyncIterator[Surroundings]:
            with suppress(asyncio.CancelledError):
                yield self

    stop = Stop()
    subject = Script(stuck)
    made = plan(
        [trial("t0", subject), trial("t1", subject, "stuck", world=Forgiving())], cell("a", "t0"), cell("b", "t1")
    )
    _, heard = run_heard(made, stop=stop, also=[stop_after(stop, 1)])
    assert [ended.trial for ended in heard.of(journal.TrialEnded)] == ["t0"]
    assert heard.of(journal.Ended)[0].stopped == "interrupted"


def test_an_agent_that_is_still_starting_is_called_off() -> None:
    called_off: list[str] = []

    class NeverReady(Script):
        @asynccontextmanager
        async def open(self) -> AsyncIterator[Instance]:
            try:
                await asyncio.Event().wait()
                yield ScriptInstance(self, [])
            finally:
                called_off.append("starting")

    stop = Stop()
    made = plan([trial("t0", Script()), trial("t1", NeverReady())])
    run_heard(made, stop=stop, also=[stop_after(stop, 1)])
    assert called_off == ["starting"]


def test_a_cancelled_run_cleans_up_and_says_nothing_more() -> None:
    subject, room, heard = Script(stuck), Room(), Heard()
    two_ended = asyncio.Event()

    def watch(_event: journal.Event) -> None:
        if len(heard.of(journal.TrialEnded)) == 2:
            two_ended.set()

    async def cancelled() -> None:
        running = asyncio.create_task(
            run_plan(half_stuck(subject, room), jobs=3, listen=[heard, watch], clock=FROZEN)
        )
        await two_ended.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert subject.open_now == 0
    assert not heard.of(journal.Ended)


def test_trials_that_never_wait_can_be_stopped_from_another_thread() -> None:
    stop = Stop()
    started, asked = threading.Event(), threading.Event()

    def ask() -> None:
        started.wait()
        stop.request("interrupted")
        asked.set()

    async def at_once(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        if trial.id == "t3":
            started.set()
            asked.wait()
        return Evidence(output=trial.prompt)

    subject = Script(at_once)
    trials = [trial(f"t{number}", subject) for number in range(100)]
    helper = threading.Thread(target=ask)
    helper.start()
    _, heard = run_heard(plan(trials), jobs=1, stop=stop)
    helper.join()
    assert len(heard.of(journal.TrialEnded)) < 100
    assert heard.of(journal.Ended)[0].stopped == "interrupted"


def test_the_front_gives_the_signal_handler_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    verdict = run(plan([trial("t1", Script())], cell("a", "t1")), jobs=1, listen=[])
    assert verdict.state == "held"
    assert signal.getsignal(signal.SIGINT) is before


def test_the_front_works_outside_the_main_thread() -> None:
    verdicts: list[Verdict] = []
    made = plan([trial("t1", Script())], cell("a", "t1"))
    thread = threading.Thread(target=lambda: verdicts.append(run(made, jobs=1, listen=[])))
    thread.start()
    thread.join()
    assert [verdict.state for verdict in verdicts] == ["held"]


INTERRUPTED = """
    import asyncio, signal, sys
    from contextlib import asynccontextmanager
    from pathlib import Path

    from bylaw.evidence import Evidence
    from bylaw.harness import run
    from bylaw.journal import JournalWriter
    from bylaw.plan import Cell, Cost, Group, Plan, Trial
    from bylaw.scoring import AllHold
    from bylaw.verdict import Finding, Item, Outcome

    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Agent:
        slots = 1
        cost = Cost()

        @asynccontextmanager
        async def open(self):
            try:
                yield self
            finally:
                await asyncio.sleep(0)
                print("closed", flush=True)
                {closing}

        async def run(self, trial, surroundings):
            if trial.id == "t3":
                print("waiting", flush=True)
                await asyncio.Event().wait()
            return Evidence(output="done")

    class Done:
        item = Item(id="done", kind="fake")

        def needs(self, evidence):
            return ()

        def judge(self, evidence):
            return Finding(item=self.item, outcome=Outcome.passed)

    agent, check, fold = Agent(), Done(), AllHold()
    trials = [Trial(id=f"t{{n}}", subject=agent) for n in range(10)]
    cells = [Cell(id=trial.id, check=check, trials=(trial.id,), fold=fold) for trial in trials]
    writer = JournalWriter(Path(sys.argv[1]))
    verdict = run(Plan(trials=trials, root=Group(id="run", fold=fold, members=cells)), jobs=2, listen=[writer])
    writer.close()
    print(verdict.state, signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True)
"""


def start(journal_path: Path, *, closing: str = "pass") -> subprocess.Popen[str]:
    script = textwrap.dedent(INTERRUPTED).format(closing=closing)
    return subprocess.Popen(
        [sys.executable, "-c", script, str(journal_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "run.journal"
    with start(path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (out, err, process.returncode) == ("closed\nundecided True\n", "", 0)
    events = list(journal.read_journal(path))
    assert [event.trial for event in events if isinstance(event, journal.TrialEnded)] == ["t0", "t1", "t2"]
    assert [event.cell for event in events if isinstance(event, journal.CellJudged)] == ["t0", "t1", "t2"]
    last = events[-1]
    assert isinstance(last, journal.Ended)
    assert (last.stopped, last.verdict.state, last.verdict.low) == ("interrupted", "undecided", 0.3)


def test_a_second_ctrl_c_ends_the_process(tmp_path: Path) -> None:
    with start(tmp_path / "run.journal", closing="await asyncio.Event().wait()") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "closed\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert "KeyboardInterrupt" in err
    assert process.returncode != 0
