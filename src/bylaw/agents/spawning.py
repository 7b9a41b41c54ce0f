"""Where workers come from: one nursery for all instances of an agent, started when the first of them needs it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import IO, cast

import msgspec

from bylaw.agents.frames import Spec
from bylaw.agents.workers import KEPT_OF_OUTPUT, RunningWorker
from bylaw.errors import BylawError
from bylaw.process import supervisor, tail
from bylaw.process.streams import Drain


class CannotStart(BylawError):
    """There is no process to run the agent in; the message says why."""


class Spawner:
    """Asks a nursery for workers. When that was killed, the next worker comes from a new one."""

    def __init__(self, spec: Spec, directory: str) -> None:
        self._spec = spec
        self._directory = directory
        self._nursery: _Nursery | None = None

    async def spawn(self) -> RunningWorker:
        if self._nursery is not None and self._nursery.gone:
            self.close()
        if self._nursery is None:
            self._nursery = _Nursery(self._spec, self._directory)
        return await self._nursery.spawn()

    def close(self) -> None:
        """To be called when the workers have ended."""
        if self._nursery is not None:
            self._nursery.close()
            self._nursery = None


class _Nursery:
    def __init__(self, spec: Spec, directory: str) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = _start(theirs, spec, directory)
            except OSError as why:
                self._control.close()
                raise CannotStart(
                    f"the directory `{directory}` can't be used: {(why.strerror or '').lower()}"
                ) from why
        self._control.setblocking(False)
        self._output = Drain(cast("IO[bytes]", self._process.stdout), keep=KEPT_OF_OUTPUT)

    @property
    def gone(self) -> bool:
        return self._process.poll() is not None

    async def spawn(self) -> RunningWorker:
        channel, its_channel = socket.socketpair()
        lifeline, its_lifeline = socket.socketpair()
        output, its_output = map(os.fdopen, os.pipe(), ("rb", "wb"), (0, 0))
        with its_channel, its_lifeline, its_output, ExitStack() as ours:
            for end in (channel, lifeline, output):
                ours.enter_context(end)
            await self._ask([end.fileno() for end in (its_channel, its_output, its_lifeline)])
            ours.pop_all()
        return RunningWorker(channel, lifeline, output, nursery=self._end)

    async def _ask(self, ends: list[int]) -> None:
        """A nursery that is gone gets no request, and the lifeline says so."""
        with suppress(ConnectionError):
            while True:
                try:
                    socket.send_fds(self._control, [b"w"], ends)
                    return
                except BlockingIOError:
                    await asyncio.sleep(0.01)

    def _end(self) -> tuple[int, str]:
        self._output.close()
        return self._process.wait(), tail(self._output.kept)

    def close(self) -> None:
        pid = self._process.pid
        self._control.close()
        if sys.platform != "linux":
            supervisor.send_group(pid, signal.SIGKILL)
        elif self.gone:
            supervisor.kill(lambda: supervisor.session_of(pid))
        else:
            supervisor.kill(lambda: {pid, *supervisor.descendants(pid), *supervisor.session_of(pid)})
        self._process.wait()
        self._output.close()


def _start(control: socket.socket, spec: Spec, directory: str) -> subprocess.Popen[bytes]:
    paths = [str(Path(directory).absolute()), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "bylaw.agents.worker", str(control.fileno()), msgspec.json.encode(spec).decode()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        cwd=directory,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        pass_fds=[control.fileno()],
        start_new_session=True,
    )


_spawners: dict[tuple[asyncio.AbstractEventLoop, Spec, str], tuple[Spawner, int]] = {}


@asynccontextmanager
async def shared_spawner(spec: Spec, directory: str) -> AsyncIterator[Spawner]:
    """The same for all who use it at the same time, in the same event loop."""
    key = (asyncio.get_running_loop(), spec, directory)
    spawner, users = _spawners.get(key, (Spawner(spec, directory), 0))
    _spawners[key] = spawner, users + 1
    try:
        yield spawner
    finally:
        _, users = _spawners.pop(key)
        if users > 1:
            _spawners[key] = spawner, users - 1
        else:
            spawner.close()
