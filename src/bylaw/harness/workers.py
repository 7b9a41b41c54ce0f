"""A whole run: as many workers as there are jobs take trials, and every step is told to the listeners."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import msgspec

from bylaw import journal
from bylaw.evidence import Evidence
from bylaw.harness.instances import Instances
from bylaw.harness.judging import Judging
from bylaw.harness.lanes import Lane, Lanes, number_trials, resolve_after
from bylaw.harness.questions import Answerer, Inquiry, as_answer
from bylaw.harness.running import run_trial
from bylaw.harness.stop import Interruptible, Stop
from bylaw.plan import Plan
from bylaw.verdict import Verdict


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of a run comes from: seconds since the epoch, and seconds that never go back."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic


SYSTEM_CLOCK = Clock()


async def run_plan(
    plan: Plan,
    *,
    jobs: int,
    listen: Sequence[journal.Listener],
    seed: int = 0,
    files: Sequence[str] = (),
    answerers: Mapping[str, Answerer] = {},
    stop: Stop | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> Verdict:
    """Runs every trial of the plan and judges every cell, telling the listeners as it goes.

    A plan that contradicts itself is a `ValueError` before anything is told. What a listener raises is raised here,
    after everything that was opened is closed.
    """
    if jobs < 1:
        raise ValueError(f"a run needs at least one job, not {jobs}")

    def tell(event: journal.Event) -> None:
        for listener in listen:
            listener(event)

    stop = stop or Stop()
    work = _Work(plan, jobs=jobs, answerers=answerers, stop=stop, tell=tell)
    begun = clock.monotonic()
    tell(
        journal.Started(
            version=version("bylaw"),
            at=clock.wall(),
            seed=seed,
            trials=len(plan.trials),
            cells=work.judging.cells,
            files=tuple(files),
            groups=tuple(journal.outline(plan.root)),
        )
    )
    work.judging.begin()
    await work.run()
    verdict = work.judging.finish()
    stopped = stop.reason if work.lanes.unfinished else ""
    tell(journal.Ended(verdict=verdict, ms=(clock.monotonic() - begun) * 1000, stopped=stopped))
    return verdict


class _Work:
    """The state workers share."""

    def __init__(
        self, plan: Plan, *, jobs: int, answerers: Mapping[str, Answerer], stop: Stop, tell: journal.Listener
    ) -> None:
        numbers = number_trials(plan.trials)
        self._after = resolve_after(plan.trials, numbers)
        self._trials = plan.trials
        self._workers = min(jobs, len(plan.trials))
        self._answerers = answerers
        self._stop = stop
        self._tell = tell
        self._instances = Instances()
        self._interruptible = Interruptible()
        self._earlier: dict[str, Any] = {}
        self._dependents: dict[int, int] = {}
        for earlier in self._after.values():
            for trial in earlier:
                self._dependents[trial] = self._dependents.get(trial, 0) + 1
        self.lanes = Lanes(plan.trials, after=self._after, jobs=jobs)
        self.judging = Judging(plan, numbers=numbers, tell=tell)

    async def run(self) -> None:
        loop = asyncio.get_running_loop()

        def stopping() -> None:
            loop.call_soon_threadsafe(self._halt)

        workers = [asyncio.create_task(self._worker()) for _ in range(self._workers)]
        try:
            with self._stop.heard_by(stopping):
                if workers:
                    await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            self._halt()
            await asyncio.gather(*workers, return_exceptions=True)
            await self._instances.close_all()
        for worker in workers:
            worker.result()

    def _halt(self) -> None:
        self.lanes.shut()
        self._interruptible.cancel()

    async def _worker(self) -> None:
        while not self._stop.reason and (turn := await self.lanes.take()) is not None:
            try:
                await self._trial(*turn)
            except asyncio.CancelledError:
                return
            # Trials that never wait would keep the event loop, and with it every other trial, to themselves.
            await asyncio.sleep(0)

    async def _trial(self, lane: Lane, number: int) -> None:
        trial = self._trials[number]
        inquiry = Inquiry(trial, self.judging.checks(number), answerers=self._answerers, earlier=self._earlier)
        held = self._instances.take(lane)
        evidence = await run_trial(trial, held, inquiry, interruptible=self._interruptible)
        self._tell(journal.trial_ended(trial, evidence))
        self.judging.end_trial(number, trial, evidence, broken=inquiry.broken)
        self._remember(number, trial.id, evidence)
        await self._instances.give_back(lane, held)
        self.lanes.done(lane, number)

    def _remember(self, number: int, name: str, evidence: Evidence) -> None:
        """An earlier trial's result is kept until the last trial that waits for it has ended."""
        if number in self._dependents:
            self._earlier[name] = as_answer(evidence)
        for earlier in self._after.get(number, ()):
            self._dependents[earlier] -= 1
            if not self._dependents[earlier]:
                del self._earlier[self._trials[earlier].id]
