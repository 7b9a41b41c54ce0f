"""Calls of several agents, under way at once and ending in every way: no history of them exceeds a limit."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.sessions import MemorySessions, Sessions
from bylaw.guard.sessions.redis import RedisSessions

from .bundles import bundle, limit
from .sessions.servers import RedisServer

MOST, MOST_OF_T = 3, 2
POLICY = bundle(limit("all", max_tool_calls=MOST), limit("some", max_calls_per_tool={"t": MOST_OF_T}))
LEASE_S = 600.0
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
"""Every history starts processes: making a bad one shorter would take minutes."""

AGENT = """
import sys, threading
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.sessions.redis import RedisSessions

guard = Guard.from_text(sys.argv[1], backend=RedisSessions(sys.argv[2], ttl_s=6000.0, lease_s=600.0, timeout_s=30.0))
for line in sys.stdin:
    tool, session_id = line.split()
    began, never = threading.Event(), threading.Event()
    denied = []

    def stuck():
        began.set()
        never.wait()

    def call():
        try:
            guard.run_sync(tool, {}, stuck, session_id=session_id)
        except Denied:
            denied.append(1)
            began.set()

    threading.Thread(target=call, daemon=True).start()
    began.wait()
    print("denied" if denied else "running", flush=True)
"""
"""Another process: for every line a call that never ends."""


class Running:
    """A call of ours whose tool has begun."""

    def __init__(self, key: tuple[str, str], task: asyncio.Task[Any], end: asyncio.Future[str]) -> None:
        self.session_id, self.tool = key
        self.task = task
        self.end = end

    async def ended(self) -> Any:
        return await self.task


class Histories(RuleBasedStateMachine):
    """One guard, many calls. The model knows which hold a place, and how many were kept."""

    running = Bundle("running")

    def make_sessions(self) -> Sessions:
        return MemorySessions()

    @initialize()
    def begin_history(self) -> None:
        self.runner = asyncio.Runner()
        self.sessions = self.make_sessions()
        self.guard = Guard.from_text(POLICY, backend=self.sessions)
        self.ids = [f"{name}-{uuid.uuid4()}" for name in "pq"]
        self.taken: Counter[tuple[str, str]] = Counter()

    def room_for(self, session_id: str, tool: str) -> bool:
        every = sum(count for (other, _), count in self.taken.items() if other == session_id)
        return every < MOST and (tool != "t" or self.taken[session_id, "t"] < MOST_OF_T)

    @rule(target=running, which=st.integers(0, 1), tool=st.sampled_from("tu"))
    def begin(self, which: int, tool: str) -> object:
        session_id = self.ids[which]
        room = self.room_for(session_id, tool)
        call = self.runner.run(self.begun(session_id, tool))
        assert (call is not None) == room
        if call is None:
            return multiple()
        self.taken[session_id, tool] += 1
        return call

    async def begun(self, session_id: str, tool: str) -> Running | None:
        loop = asyncio.get_running_loop()
        began, end = loop.create_future(), loop.create_future()

        async def function() -> str:
            began.set_result(None)
            said: str = await end
            return said

        task = loop.create_task(self.guard.run(tool, {}, function, session_id=session_id))
        await asyncio.wait([task, began], return_when=asyncio.FIRST_COMPLETED)
        if began.done():
            return Running((session_id, tool), task, end)
        with pytest.raises(Denied, match="is reached"):
            await task
        return None

    @rule(one=consumes(running))
    def succeed(self, one: Running) -> None:
        one.end.set_result("done")
        assert self.runner.run(one.ended()) == "done"

    @rule(one=consumes(running), error=st.sampled_from([LookupError, TimeoutError, asyncio.CancelledError]))
    def fail(self, one: Running, error: type[BaseException]) -> None:
        one.end.set_exception(error())
        self.ended_badly(one, error)

    @rule(one=consumes(running))
    def cancel(self, one: Running) -> None:
        one.task.cancel()
        self.ended_badly(one, asyncio.CancelledError)

    def ended_badly(self, one: Running, error: type[BaseException]) -> None:
        with pytest.raises(error):
            self.runner.run(one.ended())
        self.taken[one.session_id, one.tool] -= 1

    @invariant()
    def counts_agree_and_no_limit_is_exceeded(self) -> None:
        for session_id in self.ids:
            counts = self.sessions.counts(session_id)
            of = {tool: self.taken[session_id, tool] for tool in "tu"}
            assert (counts.get("calls:t", 0), counts.get("calls:u", 0)) == (of["t"], of["u"])
            assert counts.get("calls", 0) == of["t"] + of["u"] <= MOST
            assert of["t"] <= MOST_OF_T

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.runner.close()
            self.guard.close()


class RedisHistories(Histories):
    """Beside ours there is another process, whose calls never end, and which is killed now and then."""

    server: RedisServer

    def make_sessions(self) -> Sessions:
        self.agent: subprocess.Popen[str] | None = None
        self.held: list[tuple[str, str, str]] = []
        return RedisSessions(self.server.url, ttl_s=6000.0, lease_s=LEASE_S, timeout_s=30.0)

    def places(self, session_id: str) -> set[str]:
        with self.server.client() as client:
            return set(client.zrangebyscore(f"{{bylaw:{session_id}}}:places", 0, "+inf"))

    @rule(which=st.integers(0, 1), tool=st.sampled_from("tu"))
    def begin_elsewhere(self, which: int, tool: str) -> None:
        session_id = self.ids[which]
        room, before = self.room_for(session_id, tool), self.places(session_id)
        if self.agent is None:
            command = [sys.executable, "-c", AGENT, POLICY, self.server.url]
            self.agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.agent.stdin is not None
        assert self.agent.stdout is not None
        self.agent.stdin.write(f"{tool} {session_id}\n")
        self.agent.stdin.flush()
        assert self.agent.stdout.readline().strip() == ("running" if room else "denied")
        if room:
            (place,) = self.places(session_id) - before
            self.held.append((session_id, tool, place))
            self.taken[session_id, tool] += 1

    @rule()
    def kill_the_other(self) -> None:
        """Nobody renews its places any more; a lease later they are free."""
        self.end_agent()
        with self.server.client() as client:
            for session_id, tool, place in self.held:
                client.zadd(f"{{bylaw:{session_id}}}:places", {place: 1}, xx=True)
                self.taken[session_id, tool] -= 1
        self.held.clear()

    def end_agent(self) -> None:
        if self.agent is not None:
            self.agent.send_signal(signal.SIGKILL)
            self.agent.communicate()
            self.agent = None

    def teardown(self) -> None:
        if hasattr(self, "agent"):
            self.end_agent()
        super().teardown()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    own = RedisServer(tmp_path_factory.mktemp("redis"))
    own.start()
    yield own
    own.kill()


def test_in_memory() -> None:
    run_machine(Histories, settings=settings(max_examples=60, stateful_step_count=25))


def test_in_redis_with_processes_that_are_killed(server: RedisServer) -> None:
    class OnThisServer(RedisHistories):
        pass

    OnThisServer.server = server
    run_machine(OnThisServer, settings=settings(max_examples=12, stateful_step_count=25, phases=UNSHRUNK))
