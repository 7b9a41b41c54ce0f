"""One program, from its start to the end of the last process that came of it."""

from __future__ import annotations

import asyncio
import errno
import marshal
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import IO, cast

import msgspec

from bylaw.errors import BylawError
from bylaw.process import supervisor
from bylaw.process.excerpt import tail
from bylaw.process.streams import Drain, Feed

KEEP = 10 * 1024 * 1024

_ENDING_S = supervisor.LINGER_S + supervisor.GRACE_S + supervisor.PATIENCE_S
_SLACK_S = 3.0
_SIGNALS = {number.value: number.name for number in signal.Signals}


class CannotStart(BylawError):
    """The program never ran; the message says why."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended, and what it said.

    `exit_code` is negative for a program that a signal ended. It is None for one that was out of time, and for one
    that ended out of sight because it killed the process watching over it. What is over the bound is missing from
    the middle of a stream. `left` counts the processes that were still there when all was to be over.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    stdout_dropped: int = 0
    stderr_dropped: int = 0
    timed_out: bool = False
    ms: float
    left: int = 0

    @property
    def status(self) -> int | None:
        """The exit code as a shell gives it: 128 and the signal's number for a program that a signal ended."""
        return 128 - self.exit_code if self.exit_code is not None and self.exit_code < 0 else self.exit_code

    def trouble(self, *, timeout_s: float) -> str:
        """What went wrong, to follow the program's name in a sentence; empty where nothing did."""
        if self.timed_out:
            return f"was still running after {timeout_s:g} s, its time limit, and was ended"
        if self.exit_code is None:
            return "killed the process that watches over it, so nobody saw how it ended"
        if self.exit_code < 0:
            return f"was killed by {_SIGNALS.get(-self.exit_code, f'signal {-self.exit_code}')}"
        return f"ended with exit code {self.exit_code}" if self.exit_code else ""


async def run_program(
    command: str | Sequence[str],
    *,
    directory: str | None,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    timeout_s: float,
    keep: int = KEEP,
) -> Ended:
    """Run it to its end, or to the end of its time; a command that is one string goes to `sh -c`.

    Without a directory it runs in ours.

    When this returns or raises, also by cancellation, nothing of the program is running any more: on Linux that
    holds for daemons that took a session, a parent or an environment of their own, elsewhere for the program's own
    process group. It holds as well when our own process is killed. What escapes is a program that first kills its
    supervisor and then leaves its session, one that changes its user, and what it has others start (cron, a
    container engine).
    """
    job = _job(command, directory=directory, environment=environment, timeout_s=timeout_s)
    began = time.monotonic()
    with _supervised() as (process, channel, report):
        out = Drain(cast("IO[bytes]", process.stdout), keep=keep)
        err = Drain(cast("IO[bytes]", process.stderr), keep=keep)
        feed = Feed(cast("IO[bytes]", process.stdin), stdin)
        try:
            await _listen(channel, report, job=job, seconds=timeout_s + _ENDING_S + _SLACK_S)
        except asyncio.CancelledError:
            with suppress(OSError):  # it is gone already
                channel.shutdown(socket.SHUT_WR)
            await _listen(channel, report, seconds=_ENDING_S + _SLACK_S)
            raise
        finally:
            _end(process, report)
            feed.close()
            out.close()
            err.close()
    return _ended(
        report.decode(), out, err, ms=(time.monotonic() - began) * 1000, timeout_s=timeout_s, directory=directory
    )


def _job(
    command: str | Sequence[str], *, directory: str | None, environment: Mapping[str, str], timeout_s: float
) -> bytes:
    argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    if not argv:
        raise CannotStart("there is no program to start")
    job: supervisor.Job = (
        [_bytes(word) for word in argv],
        {_bytes(name): _bytes(value) for name, value in environment.items()},
        None if directory is None else _bytes(directory),
        timeout_s,
    )
    data = marshal.dumps(job)
    return len(data).to_bytes(8, "big") + data


def _bytes(text: str) -> bytes:
    """As file names are encoded, where that can be done; a lone surrogate has no bytes."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        return text.encode(errors="replace")


@contextmanager
def _supervised() -> Iterator[tuple[subprocess.Popen[bytes], socket.socket, bytearray]]:
    """A supervisor with nothing to do yet, the channel to it, and room for its report.

    Its own environment is nearly empty: the program can read it.
    """
    ours, theirs = socket.socketpair()
    with ours:
        ours.setblocking(False)
        with theirs:
            try:
                process = subprocess.Popen(
                    [sys.executable, "-I", "-S", supervisor.__file__, str(theirs.fileno())],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    env={name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
            except OSError as error:
                raise CannotStart(f"no process could be started: {os.strerror(error.errno or 0).lower()}") from error
        yield process, ours, bytearray()


async def _listen(channel: socket.socket, report: bytearray, *, job: bytes = b"", seconds: float) -> None:
    """Fill the report until the supervisor is gone. One that was killed or stopped leaves it unfinished."""
    loop = asyncio.get_running_loop()
    with suppress(TimeoutError, ConnectionError):  # the unfinished report says so to whoever reads it
        async with asyncio.timeout(seconds):
            if job:
                await loop.sock_sendall(channel, job)
            while chunk := await loop.sock_recv(channel, 4096):
                report += chunk


def _end(process: subprocess.Popen[bytes], report: bytearray) -> None:
    """Collect the supervisor; where it did not finish its work, finish it."""
    started, _, rest = report.partition(b"\n")
    if not rest:
        leader = int(started.split()[1]) if started else 0
        if sys.platform == "linux":
            supervisor.kill(lambda: chain(supervisor.descendants(process.pid), supervisor.session_of(leader or -1)))
        elif leader:
            supervisor.send_group(leader, signal.SIGKILL)
        process.kill()
    process.wait()


def _ended(report: str, out: Drain, err: Drain, *, ms: float, timeout_s: float, directory: str | None) -> Ended:
    match report.split():
        case ["started", _, "cannot", number, step]:
            raise CannotStart(_why(int(number), step=step, directory=directory))
        case ["started", _, "ended", code, left, own_ms]:
            exit_code, timed_out = (None, True) if code == "late" else (int(code), False)
            ms = float(own_ms)
        case []:
            raise CannotStart(f"the process that was to start it came to nothing: {tail(err.kept)}")
        case _:
            exit_code, timed_out, left = None, ms >= timeout_s * 1000, "0"
    return Ended(
        exit_code=exit_code,
        stdout=out.kept,
        stderr=err.kept,
        stdout_dropped=out.dropped,
        stderr_dropped=err.dropped,
        timed_out=timed_out,
        ms=ms,
        left=int(left),
    )


def _why(number: int, *, step: str, directory: str | None) -> str:
    match number:
        case 0:
            reason = "its arguments or environment have a NUL byte in them, or a variable's name has a `=`"
        case errno.E2BIG:
            reason = "its arguments and environment are longer than the system takes"
        case _:
            reason = os.strerror(number).lower()
    return f"the directory `{directory}` can't be used: {reason}" if step == "directory" else reason
