"""Which trial runs next: trials queue by subject, and a subject runs no more at once than it has slots."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Mapping, Sequence

from bylaw.plan import Subject, Trial

SHUT = -1


def number_trials(trials: Sequence[Trial]) -> dict[str, int]:
    numbers = {trial.id: number for number, trial in enumerate(trials)}
    if len(numbers) != len(trials):
        repeated = next(trial.id for number, trial in enumerate(trials) if numbers[trial.id] != number)
        raise ValueError(f"two trials of the plan are called `{repeated}`")
    return numbers


def resolve_after(trials: Sequence[Trial], numbers: Mapping[str, int]) -> dict[int, tuple[int, ...]]:
    """What each trial waits for, by number; trials that wait for nothing are left out.

    A trial waits only for earlier ones, so the earliest unfinished trial can always run.
    """
    after: dict[int, tuple[int, ...]] = {}
    for number, trial in enumerate(trials):
        if not trial.after:
            continue
        for name in trial.after:
            if numbers.get(name, number) >= number:
                raise ValueError(f"trial `{trial.id}` comes after `{name}`, which is no earlier trial of the plan")
        after[number] = tuple(numbers[name] for name in trial.after)
    return after


class Lane:
    """The trials of one subject, in plan order."""

    __slots__ = ("busy", "limit", "number", "offered", "subject", "taken", "trials")

    def __init__(self, number: int, subject: Subject, *, limit: int) -> None:
        self.number = number
        self.subject = subject
        self.limit = limit
        self.trials = array("I")
        self.taken = 0
        self.busy = 0
        self.offered = False

    @property
    def used_up(self) -> bool:
        return self.taken == len(self.trials)


class Lanes:
    """Hands out trials: the first lane in plan order that can start one gives its next.

    A lane is offered in one place at a time: among the ready, or beside the trial its next one waits for. So taking
    a trial costs the same however many lanes wait.
    """

    def __init__(self, trials: Sequence[Trial], *, after: Mapping[int, Sequence[int]], jobs: int) -> None:
        self._after = after
        self._done = bytearray(len(trials))
        self._left = len(trials)
        self._ready: asyncio.PriorityQueue[int] = asyncio.PriorityQueue()
        self._waiting: dict[int, list[Lane]] = {}
        self._lanes: list[Lane] = []
        by_subject: dict[int, Lane] = {}
        for number, trial in enumerate(trials):
            lane = by_subject.get(id(trial.subject))
            if lane is None:
                limit = min(jobs, trial.subject.slots or jobs)
                lane = by_subject[id(trial.subject)] = Lane(len(self._lanes), trial.subject, limit=limit)
                self._lanes.append(lane)
            lane.trials.append(number)
        for lane in self._lanes:
            self._offer(lane)

    @property
    def unfinished(self) -> bool:
        return 0 in self._done

    async def take(self) -> tuple[Lane, int] | None:
        """The next trial, once there is one; None when no more will start."""
        number = await self._ready.get()
        if number == SHUT:
            self.shut()
            return None
        lane = self._lanes[number]
        trial = lane.trials[lane.taken]
        lane.taken += 1
        lane.busy += 1
        lane.offered = False
        self._left -= 1
        if self._left:
            self._offer(lane)
        else:
            self.shut()
        return lane, trial

    def done(self, lane: Lane, trial: int) -> None:
        lane.busy -= 1
        self._done[trial] = True
        self._offer(lane)
        for waiting in self._waiting.pop(trial, ()):
            waiting.offered = False
            self._offer(waiting)

    def shut(self) -> None:
        """No trial starts from here on; whoever waits for one is told."""
        self._ready.put_nowait(SHUT)

    def _offer(self, lane: Lane) -> None:
        if lane.offered or lane.used_up or lane.busy >= lane.limit:
            return
        lane.offered = True
        for earlier in self._after.get(lane.trials[lane.taken], ()):
            if not self._done[earlier]:
                self._waiting.setdefault(earlier, []).append(lane)
                return
        self._ready.put_nowait(lane.number)
