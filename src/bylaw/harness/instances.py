"""The running copies of subjects: opened when a lane has none idle, closed when it has no more trials."""

from __future__ import annotations

import asyncio
import logging

from bylaw.evidence import Evidence
from bylaw.harness.borders import Broke, told
from bylaw.harness.lanes import Lane
from bylaw.plan import Instance, Subject, Surroundings, Trial

log = logging.getLogger("bylaw.harness")


class Held:
    """One instance, opened and closed in a task of its own.

    Workers hand instances to each other, but task groups and cancel scopes inside a subject must be left by the task
    that entered them.
    """

    __slots__ = ("_leave", "_opened", "_spoiled", "_task")

    def __init__(self, subject: Subject) -> None:
        loop = asyncio.get_running_loop()
        self._spoiled = False
        self._opened: asyncio.Future[Instance] = loop.create_future()
        self._leave: asyncio.Future[None] = loop.create_future()
        self._task = asyncio.create_task(self._hold(subject))

    async def _hold(self, subject: Subject) -> None:
        try:
            async with subject.open() as instance:
                self._opened.set_result(instance)
                await self._leave
        except SystemExit as problem:
            # An agent that exits while it starts or ends would take the event loop with it.
            raise Broke(told(problem)) from problem

    @property
    def usable(self) -> bool:
        """It opened, no run in it broke off, and it has not ended by itself."""
        return self._opened.done() and not self._spoiled and not self._task.done()

    async def opened(self) -> None:
        """Raises what opening raised."""
        if not self._opened.done():
            await asyncio.wait((self._opened, self._task), return_when=asyncio.FIRST_COMPLETED)
        if not self._opened.done():
            self._task.result()

    async def run(self, trial: Trial, surroundings: Surroundings | None) -> Evidence:
        self._spoiled = True
        evidence = await self._opened.result().run(trial, surroundings)
        self._spoiled = False
        return evidence

    async def close(self) -> None:
        if not self._opened.done():
            self._task.cancel()
        elif not self._leave.done():
            self._leave.set_result(None)
        await asyncio.wait((self._task,))
        problem = None if self._task.cancelled() else self._task.exception()
        if problem is not None and self._opened.done():
            # The trials it ran stand as they are, and none is left to carry the problem.
            log.warning("an agent could not be closed: %s", told(problem), exc_info=problem)


class Instances:
    """Every instance of a run."""

    def __init__(self) -> None:
        self._all: set[Held] = set()
        self._idle: dict[int, list[Held]] = {}

    def take(self, lane: Lane) -> Held:
        idle = self._idle.get(lane.number, [])
        while idle:
            if (held := idle.pop()).usable:
                return held
        held = Held(lane.subject)
        self._all.add(held)
        return held

    async def give_back(self, lane: Lane, held: Held) -> None:
        """The lane's slot is free once this returns: an instance that is not kept is closed by then."""
        if lane.used_up:
            await self._close([held, *self._idle.pop(lane.number, ())])
        elif held.usable:
            self._idle.setdefault(lane.number, []).append(held)
        else:
            await self._close([held])

    async def close_all(self) -> None:
        await self._close(list(self._all))

    async def _close(self, unwanted: list[Held]) -> None:
        await asyncio.gather(*(held.close() for held in unwanted))
        self._all.difference_update(unwanted)
