"""An agent that is Python code: it runs in worker processes of ours, with its tools stood in for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from bylaw.agents.frames import Spec, Work
from bylaw.agents.spawning import CannotStart, Spawner, shared_spawner
from bylaw.agents.talk import Talk
from bylaw.agents.workers import RunningWorker
from bylaw.evidence import Evidence
from bylaw.faults import ANY_TOOL, ToolFault
from bylaw.plan import Cost, Fault, Instance, Surroundings, Trial


class PythonAgent(msgspec.Struct, frozen=True, kw_only=True):
    """A function, or an object that can be called, invoked or awaited, named as `module:attr`.

    `tools` names what is stood in for, so that calls are seen and faults reach them. `directory` is where the agent
    is imported from and where it works when no surroundings say otherwise. `reset` is called before each trial.

    The agent is the user's own code and inherits the caller's whole environment, with `directory` in front of
    PYTHONPATH; surroundings add theirs for the trial. It is imported once. Each instance is a process that serves
    one trial after the other, so what the agent remembers it remembers there, unless `reset` makes it forget.

    Calls made in processes that the agent starts or forks are not seen.
    """

    endpoint: str
    directory: str
    tools: tuple[str, ...] = ()
    reset: str | None = None
    timeout_s: float = 30.0

    @property
    def slots(self) -> int | None:
        return None

    @property
    def cost(self) -> Cost:
        return Cost(agent_calls=1)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Instance]:
        spec = Spec(endpoint=self.endpoint, tools=self.tools, reset=self.reset)
        async with shared_spawner(spec, self.directory) as spawner:
            instance = _PythonInstance(self, spawner)
            try:
                yield instance
            finally:
                await instance.close()


class _PythonInstance:
    """One worker after the other: the next begins when one was killed, crashed or could not be trusted any more."""

    def __init__(self, agent: PythonAgent, spawner: Spawner) -> None:
        self._agent = agent
        self._spawner = spawner
        self._worker: RunningWorker | None = None

    async def close(self) -> None:
        if self._worker is not None:
            await self._worker.end()

    async def run(self, trial: Trial, surroundings: Surroundings | None, /) -> Evidence:
        faults = trial.scenario.faults
        work = Work(
            prompt=trial.prompt,
            seed=trial.seed,
            faults=tuple(fault for fault in faults if isinstance(fault, ToolFault)),
            directory=None if surroundings is None else surroundings.directory,
            environment={} if surroundings is None else surroundings.environment,
        )
        worker = await self._kept()
        greeted = worker is not None
        try:
            worker = worker or await self._spawner.spawn()
        except CannotStart as why:
            return Evidence(error=str(why), closed=_closed(faults, frozenset()))
        talk = Talk(worker, self._agent.endpoint, timeout_s=self._agent.timeout_s)
        try:
            done = await talk.hold(work, greeted=greeted)
            if talk.at_an_end:
                self._worker = worker
        finally:
            if self._worker is None:
                await worker.end()
        return talk.evidence(done, closed=_closed(faults, worker.tools))

    async def _kept(self) -> RunningWorker | None:
        """The worker of the last trial, unless something has happened to it since."""
        worker, self._worker = self._worker, None
        if worker is None or worker.idle:
            return worker
        await worker.end()
        return None


def _closed(faults: tuple[Fault, ...], tools: frozenset[str]) -> tuple[str, ...]:
    """The faults that nothing stands in place for: not of a tool, or of none that is stood in for."""
    return tuple(
        fault.id
        for fault in faults
        if not (isinstance(fault, ToolFault) and tools and (fault.tool == ANY_TOOL or fault.tool in tools))
    )
