"""The process that stands between us and a program: it starts it, waits for it, and ends all that came of it.

It runs as a script, by path, without our package or site-packages, so it imports nothing but the standard library. It
talks over one socket: the job comes in, a report goes out. The other side shutting the socket down, or dying, means:
end everything now.

On Linux it is a child subreaper: whoever in the tree loses its parent becomes its child, whatever group, session or
environment it has given itself. Elsewhere only the program's own process group is ended.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator

LINGER_S = 0.1
"""How long those a program left behind may take to end by themselves."""

GRACE_S = 1.0
"""How long they may take once asked to."""

PATIENCE_S = 2.0
"""How long to wait for the killed to be gone. A process of another user, or one stuck in the kernel, never is."""

_LONGEST_POLL_S = 3600.0
_PR_SET_CHILD_SUBREAPER = 36
_SHORT_WAY = os.access(f"/proc/self/task/{os.getpid()}/children", os.R_OK)

Job = tuple[list[bytes], dict[bytes, bytes], bytes | None, float]
"""Arguments, environment, directory, seconds."""


def processes() -> Iterator[tuple[int, int, int]]:
    """Pid, parent and session of every process that has not ended (Linux)."""
    for name in os.listdir("/proc"):  # noqa: PTH208 (importing pathlib costs 5 ms a run)
        if name.isdigit() and (found := _parent_and_session(int(name))):
            yield int(name), *found


def descendants(root: int) -> Iterator[int]:
    """Everyone below `root`, at any depth (Linux).

    Each is given as soon as it is found, so that one who hops from process to process can be hit before the next hop.
    """
    waiting = [root]
    while waiting:
        for pid in _children(waiting.pop()):
            yield pid
            waiting.append(pid)


def session_of(leader: int) -> Iterator[int]:
    """Everyone in the session that `leader` began (Linux)."""
    return (pid for pid, _parent, session in processes() if session == leader)


def kill(find: Callable[[], Iterable[int]]) -> None:
    """End all that `find` finds, and see them gone.

    They are stopped first, so that none starts another while we go round.
    """
    until = time.monotonic() + PATIENCE_S
    stopped: set[int] = set()
    before = -1
    while before < len(stopped) and time.monotonic() < until:
        before = len(stopped)
        for pid in find():
            if pid not in stopped:
                send(pid, signal.SIGSTOP)
                stopped.add(pid)
    for pid in stopped:
        send(pid, signal.SIGKILL)
    while any(map(_parent_and_session, stopped)) and time.monotonic() < until:
        time.sleep(0.001)


def send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return  # gone meanwhile, or another user's


def _parent_and_session(pid: int) -> tuple[int, int] | None:
    """None for one that has ended, whether or not its parent took notice."""
    stat = _read(f"/proc/{pid}/stat")
    if not stat:
        return None
    state, parent, _group, session = stat[stat.rindex(b")") + 2 :].split()[:4]
    return None if state in (b"Z", b"X") else (int(parent), int(session))


def _children(pid: int) -> list[int]:
    """Zombies among them. A kernel built without the short way has every process looked at."""
    if not _SHORT_WAY:
        return [child for child, parent, _session in processes() if parent == pid]
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 (the same)
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return []
    return [int(child) for thread in threads for child in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _read(path: str) -> bytes:
    """Empty for a process that ended while we looked, or that is hidden from us."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (the same)
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""


def send_group(leader: int, number: int = 0) -> bool:
    """Whether there was anyone in the group to get it; 0 only asks."""
    try:
        os.killpg(leader, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


class Tree:
    """The program and all that came of it, seen from the process they are children of.

    `followed` says whether those who lose their parent become our children; otherwise the group is all there is.
    """

    def __init__(self, channel: int, *, followed: bool) -> None:
        self.main = 0
        self.exit_code: int | None = None
        self.empty = False
        self.told_to_end = False
        self._followed = followed
        self._channel = channel
        self._wake, written = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(written, False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(written, warn_on_full_buffer=False)

    def wait(self, seconds: float, done: Callable[[], bool]) -> bool:
        """Whether it was done in time, and before we were told to end."""
        until = time.monotonic() + seconds
        while True:
            self._reap()
            if done():
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            watched = select.poll()
            watched.register(self._wake, select.POLLIN)
            if not self.told_to_end:
                watched.register(self._channel, select.POLLIN)
            for ready, _event in watched.poll(min(left, _LONGEST_POLL_S) * 1000 + 1):
                if ready == self._wake:
                    os.read(self._wake, 4096)
                else:
                    self.told_to_end = True
                    return False

    def end(self) -> int:
        """How many were still there and had to be ended."""
        left = self._count()
        self._ask_to_end()
        self.wait(GRACE_S, lambda: self.empty)
        until = time.monotonic() + PATIENCE_S
        while not self.empty and time.monotonic() < until:
            if self._followed:
                kill(lambda: descendants(os.getpid()))
            else:
                send_group(self.main, signal.SIGKILL)
            self.wait(0.05, lambda: self.empty)
        return left

    def _count(self) -> int:
        """At least one: whoever hops from process to process is not in two lists at once."""
        if not self._followed:
            return 1
        alive = {pid for pid, _parent, _session in processes()}
        return max(1, len(alive.intersection(descendants(os.getpid()))))

    def _ask_to_end(self) -> None:
        if self._followed:
            for pid in list(descendants(os.getpid())):
                send(pid, signal.SIGTERM)
        else:
            send_group(self.main, signal.SIGTERM)

    def _reap(self) -> None:
        while not self.empty:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.empty = self._followed or not send_group(self.main)
                return
            if pid == 0:
                return
            if pid == self.main:
                self.exit_code = os.waitstatus_to_exitcode(status)


class NotStarted(Exception):
    """The errno (0 where there is none) and what was tried."""


def start(argv: list[bytes], environment: dict[bytes, bytes], directory: bytes | None, *, channel: int) -> int:
    """The pid of the program, in a session of its own.

    The report has that pid before the program runs, so that the program can be found even if it kills us first thing.
    """
    complaint, complain = os.pipe()
    pid = os.fork()
    if pid == 0:
        step = "directory"
        try:
            os.setsid()
            _say(channel, f"started {os.getpid()}")
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            if directory is not None:
                os.chdir(directory)
            step = "program"
            os.execvpe(argv[0], argv, environment)  # noqa: S606 (this is what it is for)
        except OSError as error:
            os.write(complain, f"{error.errno} {step}".encode())
        except ValueError:
            os.write(complain, f"0 {step}".encode())
        finally:
            os._exit(127)
    os.close(complain)
    said = os.read(complaint, 100)
    os.close(complaint)
    if said:
        os.waitpid(pid, 0)
        raise NotStarted(said.decode())
    return pid


def supervise(channel: int) -> str:
    """The last line of the report."""
    argv, environment, directory, timeout_s = _job(channel)
    followed = sys.platform == "linux" and ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    tree = Tree(channel, followed=followed)
    began = time.monotonic()
    try:
        tree.main = start(argv, environment, directory, channel=channel)
    except NotStarted as why:
        return f"cannot {why}"
    _let_go_of_streams()
    in_time = tree.wait(timeout_s, lambda: tree.exit_code is not None)
    ms = (time.monotonic() - began) * 1000
    left = 0
    if not (in_time and tree.wait(LINGER_S, lambda: tree.empty)):
        left = tree.end()
    exit_code = tree.exit_code if in_time else "late"
    return f"ended {exit_code} {left} {ms:.3f}"


def _job(channel: int) -> Job:
    size = int.from_bytes(_exactly(channel, 8), "big")
    job: Job = marshal.loads(_exactly(channel, size))  # noqa: S302 (the process that started us wrote it)
    return job


def _exactly(channel: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = os.read(channel, size - len(data))
        if not chunk:
            os._exit(1)  # whoever wanted the program is gone
        data += chunk
    return data


def _let_go_of_streams() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _say(channel: int, line: str) -> None:
    try:
        os.write(channel, line.encode() + b"\n")
    except (BrokenPipeError, ConnectionResetError):
        return  # nobody listens any more; what is left to do is done all the same


if __name__ == "__main__":
    _channel = int(sys.argv[1])
    os.set_inheritable(_channel, False)
    _say(_channel, supervise(_channel))
    os._exit(0)
