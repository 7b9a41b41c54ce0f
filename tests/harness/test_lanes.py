"""Who runs when: slots are kept, instances reused and closed, and what comes after comes after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bylaw import journal
from bylaw.evidence import Evidence
from bylaw.plan import Cost, Instance, Surroundings, Trial

from .fakes import Script, cell, plan, run_heard, trial


async def patient(trial: Trial, _surroundings: Surroundings | None) -> Evidence:
    for _ in range(5):
        await asyncio.sleep(0)
    return Evidence(output=trial.prompt)


@pytest.mark.parametrize(
    ("slots", "jobs", "at_once"), [(1, 8, 1), (3, 8, 3), (None, 8, 8), (20, 4, 4), (None, 1, 1), (None, 99, 40)]
)
def test_a_subject_runs_as_many_trials_at_once_as_it_may(slots: int | None, jobs: int, at_once: int) -> None:
    subject = Script(patient, slots=slots)
    run_heard(plan([trial(f"t{number}", subject) for number in range(40)]), jobs=jobs)
    assert subject.most == at_once
    assert subject.most_open == at_once
    assert len(subject.ran) == 40


def test_instances_are_reused_and_closed() -> None:
    subject = Script(patient, slots=2)
    run_heard(plan([trial(f"t{number}", subject) for number in range(10)]))
    assert subject.opened == 2
    assert sorted(len(runs) for runs in subject.runs_of) == [5, 5]
    assert subject.open_now == 0


def test_a_lane_is_closed_as_soon_as_it_has_no_more_trials() -> None:
    first, second = Script(slots=1), Script(slots=1)
    still_open: list[int] = []

    def watch(event: journal.Event) -> None:
        if isinstance(event, journal.TrialEnded) and event.trial == "b0":
            still_open.append(first.open_now)

    trials = [trial("a0", first), trial("a1", first), trial("b0", second)]
    run_heard(plan(trials), jobs=1, also=[watch])
    assert still_open == [0]


def test_lanes_come_in_plan_order_and_a_full_one_is_skipped() -> None:
    narrow, wide = Script(patient, slots=1), Script(patient)
    trials = [trial("n0", narrow), trial("n1", narrow), trial("w0", wide), trial("w1", wide)]
    _, heard = run_heard(plan(trials), jobs=2)
    assert narrow.ran == ["n0", "n1"]
    assert wide.ran == ["w0", "w1"]
    assert [ended.trial for ended in heard.of(journal.TrialEnded)][:2] == ["n0", "w0"]


def test_one_job_keeps_the_order_of_the_lanes() -> None:
    first, second = Script(), Script()
    trials = [trial("a0", first), trial("b0", second), trial("a1", first), trial("b1", second)]
    _, heard = run_heard(plan(trials), jobs=1)
    assert [ended.trial for ended in heard.of(journal.TrialEnded)] == ["a0", "a1", "b0", "b1"]


def test_a_trial_starts_when_all_it_comes_after_have_ended() -> None:
    told: list[str] = []

    async def log_start(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        told.append(f"start {trial.id}")
        return await patient(trial, surroundings)

    def log_end(event: journal.Event) -> None:
        if isinstance(event, journal.TrialEnded):
            told.append(f"end {event.trial}")

    calm, stormy = Script(log_start), Script(log_start)
    trials = [
        trial("base1", calm),
        trial("base2", calm),
        *(trial(f"storm{number}", stormy, after=["base1", "base2"]) for number in range(3)),
        trial("last", calm, after=["storm0", "storm2"]),
    ]
    run_heard(plan(trials), jobs=8, also=[log_end])
    last_base = max(told.index("end base1"), told.index("end base2"))
    assert all(told.index(f"start storm{number}") > last_base for number in range(3))
    assert told.index("start last") > max(told.index("end storm0"), told.index("end storm2"))
    assert told.index("start storm2") < told.index("end storm0")


def test_a_thousand_lanes_wait_for_one_trial() -> None:
    base = Script(patient)
    others = [Script() for _ in range(1000)]
    trials = [trial("base", base), *(trial(f"t{n}", other, after=["base"]) for n, other in enumerate(others))]
    _, heard = run_heard(plan(trials), jobs=3)
    assert next(ended.trial for ended in heard.of(journal.TrialEnded)) == "base"
    assert len(heard.of(journal.TrialEnded)) == 1001
    assert all(other.opened == 1 and other.open_now == 0 for other in others)


@pytest.mark.parametrize("after", ["later", "nobody", "first"])
def test_coming_after_no_earlier_trial_is_refused(after: str) -> None:
    subject = Script()
    trials = [trial("first", subject, after=[after]), trial("later", subject)]
    with pytest.raises(ValueError, match=f"trial `first` comes after `{after}`, which is no earlier trial"):
        run_heard(plan(trials))
    assert subject.opened == 0


def test_two_trials_of_one_name_are_refused() -> None:
    subject = Script()
    with pytest.raises(ValueError, match="two trials of the plan are called `t1`"):
        run_heard(plan([trial("t1", subject), trial("t2", subject), trial("t1", subject)]))


def test_a_run_without_jobs_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one job, not 0"):
        run_heard(plan([]), jobs=0)


class Grouped:
    """A subject with a task group inside, which only the task that entered it may leave."""

    slots: int | None = None
    cost = Cost()

    def __init__(self) -> None:
        self.entered: list[asyncio.Task[object] | None] = []
        self.left: list[asyncio.Task[object] | None] = []

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Instance]:
        self.entered.append(asyncio.current_task())
        async with asyncio.TaskGroup():
            yield self
        self.left.append(asyncio.current_task())

    async def run(self, trial: Trial, surroundings: Surroundings | None, /) -> Evidence:
        return await patient(trial, surroundings)


def test_an_instance_is_left_by_the_task_that_entered_it() -> None:
    shared, other = Grouped(), Script(patient)
    trials = [trial(f"s{n}", shared) if n % 2 else trial(f"o{n}", other) for n in range(20)]
    verdict, _ = run_heard(plan(trials, *(cell(t.id, t.id) for t in trials)), jobs=3)
    assert verdict.state == "held"
    assert sorted(map(id, shared.entered)) == sorted(map(id, shared.left))


def test_trials_that_never_wait_let_others_go_on() -> None:
    async def at_once(trial: Trial, _surroundings: Surroundings | None) -> Evidence:
        return Evidence(output=trial.prompt)

    hasty, slow = Script(at_once, slots=1), Script(patient)
    trials = [*(trial(f"h{number}", hasty) for number in range(200)), trial("slow", slow)]
    _, heard = run_heard(plan(trials), jobs=2)
    order = [ended.trial for ended in heard.of(journal.TrialEnded)]
    assert order.index("slow") < order.index("h100")


def test_a_trial_without_cells_runs_too() -> None:
    subject = Script()
    run_heard(plan([trial("t1", subject)]))
    assert subject.ran == ["t1"]
