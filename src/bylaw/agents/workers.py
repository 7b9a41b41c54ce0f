"""A worker seen from our side: what it says while it runs, and how it ends."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from bylaw.agents.frames import Frame, NotAFrame, Unpacker, pack
from bylaw.agents.nursery import EXIT_CODE, TOLD
from bylaw.errors import BylawError
from bylaw.process import supervisor, tail
from bylaw.process.streams import Drain

MOST_OF_A_TRIAL = 256 * 1024 * 1024
KEPT_OF_OUTPUT = 64 * 1024

_CHUNK = 256 * 1024
_ENDING_S = 10.0


class Gone(BylawError):
    """The worker's process has ended; the message says how, and what it printed last."""


class RunningWorker:
    """Frames come in as they are sent, also while nobody waits for one, so nothing that was seen is lost.

    `nursery` gives the exit code and the last words of a nursery that is gone. `tools` are those it has said it
    stands in for.
    """

    def __init__(
        self,
        channel: socket.socket,
        lifeline: socket.socket,
        output: IO[bytes],
        *,
        nursery: Callable[[], tuple[int, str]],
    ) -> None:
        self._channel = channel
        self._lifeline = lifeline
        self._nursery = nursery
        self.tools: frozenset[str] = frozenset()
        self._output = Drain(output, keep=KEPT_OF_OUTPUT)
        self._unpacker = Unpacker()
        self._frames: deque[Frame] = deque()
        self._received = 0
        self._heard = bytearray()
        self._pid: int | None = None
        self._exit_code: int | None = None
        self._closed_by_it = False
        self._nonsense: NotAFrame | None = None
        self._news = asyncio.Event()
        self._over = asyncio.Event()
        loop = asyncio.get_running_loop()
        for end, callback in ((channel, self._read), (lifeline, self._hear)):
            end.setblocking(False)
            loop.add_reader(end.fileno(), callback)

    @property
    def idle(self) -> bool:
        """It lives, and has said nothing since it was last listened to."""
        return not (self._over.is_set() or self._closed_by_it or self._frames or self._nonsense)

    async def send(self, frame: Frame) -> None:
        self._received = 0
        with suppress(ConnectionError):  # a worker that is gone says so when it is listened to
            await asyncio.get_running_loop().sock_sendall(self._channel, pack(frame))

    async def next(self) -> Frame:
        """The next frame; raises `NotAFrame` after nonsense and `Gone` after the last one."""
        while not self._frames:
            if self._nonsense is not None:
                raise self._nonsense
            if self._over.is_set():
                raise Gone(self._how_it_ended())
            if self._closed_by_it:
                await self._end_of_a_silent_one()
                continue
            self._news.clear()
            await self._news.wait()
        return self._frames.popleft()

    def come_by_now(self) -> list[Frame]:
        """The frames that nobody has waited for."""
        self._read()
        frames = list(self._frames)
        self._frames.clear()
        return frames

    async def end(self) -> None:
        """When this returns nothing of the worker is running any more, nor is anything it started."""
        try:
            self._hear()
            if self._pid is not None and not self._over.is_set():
                self._lifeline.shutdown(socket.SHUT_WR)
                with suppress(TimeoutError):  # one that does not end by itself is killed below
                    async with asyncio.timeout(_ENDING_S):
                        await self._over.wait()
        finally:
            if self._pid is not None and self._exit_code is None:
                _kill_session(self._pid)
            self._let_go(self._channel)
            self._let_go(self._lifeline)
            self._output.close()

    def _read(self) -> None:
        """Once, as much as is there."""
        if self._closed_by_it or self._nonsense is not None:
            return
        try:
            data = self._channel.recv(_CHUNK)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        self._received += len(data)
        try:
            self._frames.extend(self._unpacker.feed(data))
            if self._received > MOST_OF_A_TRIAL:
                raise NotAFrame(f"more than the {MOST_OF_A_TRIAL} bytes that a trial may take")
        except NotAFrame as nonsense:
            self._nonsense = nonsense
        self._closed_by_it = not data
        if self._closed_by_it or self._nonsense is not None:
            asyncio.get_running_loop().remove_reader(self._channel.fileno())
        self._news.set()

    def _hear(self) -> None:
        """A pid, an exit code, or nothing more because the nursery is gone itself."""
        try:
            data = self._lifeline.recv(2 * TOLD)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        self._heard += data
        while len(self._heard) >= TOLD:
            what, value = self._heard[:1], int.from_bytes(self._heard[1:TOLD], "big", signed=True)
            del self._heard[:TOLD]
            if what == EXIT_CODE:
                self._exit_code = value
            else:
                self._pid = value
        if not data or self._exit_code is not None:
            asyncio.get_running_loop().remove_reader(self._lifeline.fileno())
            self._take_the_rest()
            self._over.set()
            self._news.set()

    def _take_the_rest(self) -> None:
        """What a dead worker had sent is still on its way; a child of its may hold the channel, and go on sending."""
        before = -1
        while before < self._received and self._nonsense is None and not self._closed_by_it:
            before = self._received
            self._read()

    async def _end_of_a_silent_one(self) -> None:
        """A worker that closed its channel is about to end, or its agent has closed all files it found."""
        try:
            async with asyncio.timeout(_ENDING_S):
                await self._over.wait()
        except TimeoutError:
            self._nonsense = NotAFrame("the end of its connection")

    def _how_it_ended(self) -> str:
        self._output.close()
        code, said = self._exit_code, tail(self._output.kept)
        how = "the agent's process"
        if code is None:
            code, said = self._nursery()
            if self._pid is not None:
                how = "the agent's process was lost, because the one that watches over it"
        how += f" ended with exit code {code}" if code >= 0 else f" was ended by {_name(-code)}"
        return f"{how}: {said}" if said else how

    @staticmethod
    def _let_go(end: socket.socket) -> None:
        asyncio.get_running_loop().remove_reader(end.fileno())
        end.close()


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _kill_session(leader: int) -> None:
    """For a worker whose nursery does not do it any more: until there is nobody, or one can't be killed."""
    if sys.platform != "linux":
        supervisor.send_group(leader, signal.SIGKILL)
        return

    def members() -> set[int]:
        found = set(supervisor.session_of(leader))
        return found.union(*map(supervisor.descendants, found))

    until = time.monotonic() + supervisor.PATIENCE_S
    while members() and time.monotonic() < until:
        supervisor.kill(members)
        time.sleep(0.002)
