"""What a worker does: one trial after the other, each told about while it happens."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bylaw.agents.entry import Entry
from bylaw.agents.frames import Answered, Begun, Called, Done, Frame, Ready, TooLarge, Unpacker, Unusable, Work, pack
from bylaw.evidence import ToolCall
from bylaw.faults import Schedule
from bylaw.interpose import BadReference, Recorder
from bylaw.interpose.plain import named

_CHUNK = 256 * 1024


def serve(channel: socket.socket, load: Callable[[], Entry]) -> None:
    """Until the other side closes the channel."""
    try:
        entry = load()
    except BadReference as why:
        channel.sendall(pack(Unusable(error=str(why))))
        return
    channel.sendall(pack(Ready(tools=entry.interposed.names)))
    worker = Worker(channel, entry)
    unpacker = Unpacker()
    while data := channel.recv(_CHUNK):
        for frame in unpacker.feed(data):
            if isinstance(frame, Work):
                worker.work(frame)


class Worker:
    """Serves one trial at a time, so every call of a tool belongs to the one under way, whatever thread makes it."""

    def __init__(self, channel: socket.socket, entry: Entry) -> None:
        self._channel = channel
        self._entry = entry
        self._pid = os.getpid()
        self._sending = threading.RLock()
        self._too_large = ""
        os.register_at_fork(after_in_child=self._let_go)

    def work(self, work: Work) -> None:
        here = Path.cwd()
        try:
            os.chdir(work.directory or here)
        except OSError as why:
            done = Done(error=f"the directory `{work.directory}` can't be used: {(why.strerror or '').lower()}")
        else:
            with _environment(work.environment):
                done = self._trial(work)
            os.chdir(here)
        self._finish(done)

    def _trial(self, work: Work) -> Done:
        try:
            self._entry.reset()
        except BaseException as problem:  # noqa: BLE001 (the user's code: it may raise anything, or exit)
            return Done(error=f"the reset failed: {named(problem)}")
        self._entry.interposed.recorder = self._recorder(work)
        self._send(Begun())
        began = time.perf_counter()
        output, failure = None, None
        try:
            output = self._entry.ask(work.prompt)
        except BaseException as problem:  # noqa: BLE001 (the user's code: it may raise anything, or exit)
            failure = named(problem)
        return Done(output=output, failure=failure, ms=(time.perf_counter() - began) * 1000)

    def _recorder(self, work: Work) -> Recorder:
        def note(number: int, call: ToolCall, reached: tuple[str, ...]) -> None:
            with self._sending:
                # A thread may end its call when the trial is over; the next trial is none of its business.
                if self._entry.interposed.recorder is recorder:
                    self._send(
                        Called(number=number, call=call, reached=reached)
                        if call.answer is None
                        else Answered(number=number, answer=call.answer)
                    )

        recorder = Recorder(Schedule(work.faults, seed=work.seed), note=note)
        return recorder

    def _finish(self, done: Done) -> None:
        """A trial of which something could not be sent does not end as if it were whole."""
        if os.getpid() != self._pid:
            os._exit(0)  # a process that the agent forked has come back from it in the agent's place
        with self._sending:
            self._entry.interposed.recorder = None
            if not self._too_large:
                self._send(done)
            if self._too_large:
                self._send(Done(error=f"the trial is too large to be kept: {self._too_large}"))
                self._too_large = ""

    def _send(self, frame: Frame) -> None:
        try:
            self._channel.sendall(pack(frame))
        except TooLarge as why:
            self._too_large = str(why)

    def _let_go(self) -> None:
        """In a process that the agent forks: it is nobody's worker."""
        self._entry.interposed.recorder = None
        self._channel.close()


@contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
