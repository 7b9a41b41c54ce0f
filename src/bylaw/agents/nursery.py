"""The process that the workers of an agent are forked from, and that ends them.

It has imported the agent once, so that fifty workers cost little more than one. It watches over them from outside:
whatever an agent does, its worker and all that came of it end when the one who wanted it says so or dies.

It listens on a control socket: one byte with three descriptors asks for a worker. These are the worker's channel,
where its output goes, and its lifeline. On the lifeline the worker writes its pid before it does anything else, and
the nursery its exit code once nothing of it is left; the other side closing the lifeline means: end it now.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from bylaw.process import supervisor

PID, EXIT_CODE = b"p", b"x"
TOLD = 5
"""How many bytes one of them takes, with its number."""

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Whoever below this process loses its parent becomes its child (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Nursery:
    """Forks a worker for each request; `serve` is what a worker does."""

    def __init__(self, control: socket.socket, serve: Callable[[socket.socket], None]) -> None:
        self._control = control
        self._serve = serve
        self._lifelines: dict[int, socket.socket] = {}
        adopt_orphans()
        self._not_ours = _children()
        self._wake, self._woken = os.pipe()
        for end in (self._wake, self._woken):
            os.set_blocking(end, False)
        self._sigchld = signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)

    def tend(self) -> None:
        """Until nobody holds the other end of the control socket."""
        while True:
            watched = select.poll()
            for file in (self._control.fileno(), self._wake, *(line.fileno() for line in self._lifelines.values())):
                watched.register(file, select.POLLIN)
            ready = {file for file, _event in watched.poll()}
            if self._wake in ready:
                os.read(self._wake, 4096)
            for pid in [pid for pid, line in self._lifelines.items() if line.fileno() in ready]:
                self._end(pid)
            self._reap()
            if self._control.fileno() in ready and not self._answer():
                break
        for pid in list(self._lifelines):
            self._end(pid)

    def _answer(self) -> bool:
        """Whether there was a request."""
        asked, files, _flags, _address = socket.recv_fds(self._control, 1, 3)
        if not asked:
            return False
        for file in files:
            os.set_inheritable(file, False)
        channel, output, lifeline = files
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        pid = os.fork()
        if pid == 0:
            self._become_worker(channel, output, lifeline)
        os.close(channel)
        os.close(output)
        self._lifelines[pid] = socket.socket(fileno=lifeline)
        return True

    def _become_worker(self, channel: int, output: int, lifeline: int) -> None:
        exit_code = 1
        try:
            os.setsid()
            with socket.socket(fileno=lifeline) as line:
                _tell(line, PID, os.getpid())
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, self._sigchld)
            os.dup2(output, 1)
            os.dup2(output, 2)
            for file in (output, self._wake, self._woken):
                os.close(file)
            for others in (self._control, *self._lifelines.values()):
                others.close()
            adopt_orphans()
            self._serve(socket.socket(fileno=channel))
            exit_code = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            # The frames above are the nursery's: a worker must never return into them.
            os._exit(exit_code)

    def _end(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        self._ended(pid, status)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._lifelines:
                self._ended(pid, status)

    def _ended(self, pid: int, status: int) -> None:
        line = self._lifelines.pop(pid)
        self._end_what_is_left(pid)
        _tell(line, EXIT_CODE, os.waitstatus_to_exitcode(status))
        line.close()

    def _end_what_is_left(self, pid: int) -> None:
        """Until there is nobody, or it is clear that one can't be killed."""
        if sys.platform != "linux":
            supervisor.send_group(pid, signal.SIGKILL)
            return
        until = time.monotonic() + supervisor.PATIENCE_S
        while self._left(pid) and time.monotonic() < until:
            supervisor.kill(lambda: self._left(pid))
            time.sleep(0.002)

    def _left(self, pid: int) -> set[int]:
        """Who is in the session of a worker that has ended, who lost it as a parent, and everyone below these.

        Those who lost a parent are our children now; what a living worker's tree loses, that worker adopts.
        """
        others = list(supervisor.processes())
        me, known = os.getpid(), self._lifelines.keys() | self._not_ours
        found: set[int] = set()
        more = {other for other, parent, session in others if session == pid or (parent == me and other not in known)}
        while more:
            found |= more
            more = {other for other, parent, _session in others if parent in found} - found
        return found


def _children() -> set[int]:
    if sys.platform != "linux":
        return set()
    return {pid for pid, parent, _session in supervisor.processes() if parent == os.getpid()}


def _tell(line: socket.socket, what: bytes, value: int) -> None:
    with suppress(ConnectionError):  # nobody may want to know any more
        line.send(what + value.to_bytes(TOLD - len(what), "big", signed=True))
