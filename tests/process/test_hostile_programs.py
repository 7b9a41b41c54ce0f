"""Programs that would rather stay: each is gone, with all that came of it, and we never hang."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bylaw.process import Ended, run_program

ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath)}
ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the process group is followed")
LONG = 60.0
SHORT = 1.0


async def go(command: str | list[str], place: Path, *, timeout_s: float = LONG, stdin: bytes = b"") -> Ended:
    return await run_program(
        command, directory=str(place), environment=ENVIRONMENT, timeout_s=timeout_s, stdin=stdin, keep=1000
    )


def run(command: str | list[str], place: Path, *, timeout_s: float = LONG, stdin: bytes = b"") -> Ended:
    return asyncio.run(go(command, place, timeout_s=timeout_s, stdin=stdin))


def pids(place: Path) -> list[int]:
    return [int(line) for file in place.glob("*.pid") for line in file.read_text().split()]


def alive(pid: int) -> bool:
    """A zombie is not: that its new parent has not yet noticed is none of the program's doing."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], stdout=subprocess.PIPE, check=False).stdout
    return bool(state) and not state.startswith(b"Z")


def all_gone(place: Path) -> bool:
    found = pids(place)
    assert found, "the program never wrote down who it is"
    return not any(alive(pid) for pid in found)


def wait_for(condition: Callable[[], bool]) -> None:
    """Fails by the condition never coming true; how long it takes is nobody's business."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def until_running(place: Path) -> None:
    while not pids(place):  # noqa: ASYNC110 (another process has no event of ours to set)
        await asyncio.sleep(0.01)


# A child that tells who it is before its parent goes on, and then stays.
STAYS = "sh -c 'echo $$ > daemon.pid; exec sleep 600'"
AND_IS_THERE = "while [ ! -s daemon.pid ]; do sleep 0.01; done"


def test_the_limit_ends_it(tmp_path: Path) -> None:
    ended = run("echo $$ > main.pid; echo so far; exec sleep 600", tmp_path, timeout_s=SHORT)

    assert (ended.exit_code, ended.timed_out, ended.left) == (None, True, 1)
    assert ended.stdout == b"so far\n"
    assert all_gone(tmp_path)


def test_it_may_tidy_up_when_its_time_is_over(tmp_path: Path) -> None:
    ended = run("trap 'echo bye; exit 0' TERM; echo hi; while :; do sleep 0.01; done", tmp_path, timeout_s=SHORT)

    assert (ended.exit_code, ended.timed_out, ended.stdout) == (None, True, b"hi\nbye\n")


def test_it_ignores_sigterm(tmp_path: Path) -> None:
    ended = run("echo $$ > main.pid; trap '' TERM HUP INT; while :; do sleep 0.01; done", tmp_path, timeout_s=SHORT)

    assert ended.timed_out
    assert all_gone(tmp_path)


def test_a_child_holds_the_pipes_open(tmp_path: Path) -> None:
    ended = run(f"{STAYS} & {AND_IS_THERE}; echo done", tmp_path)

    assert (ended.exit_code, ended.stdout, ended.timed_out, ended.left) == (0, b"done\n", False, 1)
    assert all_gone(tmp_path)


@ONLY_LINUX
@pytest.mark.parametrize("how", ["setsid", "env -i setsid", "setsid setsid nohup"])
def test_a_daemon_with_a_session_and_an_environment_of_its_own(tmp_path: Path, how: str) -> None:
    ended = run(f"({how} {STAYS} </dev/null >/dev/null 2>&1 &) ; {AND_IS_THERE}; exit 5", tmp_path)

    assert (ended.exit_code, ended.left) == (5, 1)
    assert all_gone(tmp_path)


DOUBLE_FORK = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        for end in (0, 1, 2):
            os.close(end)
        with open("daemon.part", "w") as file:
            file.write(str(os.getpid()))
        os.rename("daemon.part", "daemon.pid")
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists("daemon.pid"):
    time.sleep(0.01)
"""


@ONLY_LINUX
@pytest.mark.parametrize(("after", "timed_out"), [("", False), ("time.sleep(600)", True)])
def test_a_double_forked_daemon_that_ignores_sigterm(tmp_path: Path, after: str, timed_out: bool) -> None:
    ended = run([sys.executable, "-c", DOUBLE_FORK + after], tmp_path, timeout_s=3.0 if timed_out else LONG)

    assert (ended.timed_out, ended.left) == (timed_out, 2 if timed_out else 1)
    assert all_gone(tmp_path)


HOPS = """
import fcntl, os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
until = time.monotonic() + 60
while time.monotonic() < until:
    if os.fork():
        os._exit(0)
"""


@ONLY_LINUX
def test_it_hops_from_process_to_process(tmp_path: Path) -> None:
    ended = run([sys.executable, "-c", HOPS], tmp_path)

    assert ended.left == 1
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while any of them holds it


def test_it_floods_its_output(tmp_path: Path) -> None:
    ended = run("head -c 200000000 /dev/zero; echo end", tmp_path)

    assert ended.exit_code == 0
    assert (len(ended.stdout), ended.stdout_dropped) == (1000, 200_000_004 - 1000)
    assert ended.stdout.endswith(b"\0end\n")


def test_it_floods_without_end(tmp_path: Path) -> None:
    ended = run("yes & yes >&2", tmp_path, timeout_s=SHORT, stdin=b"x" * 1_000_000)

    assert ended.timed_out
    assert ended.stdout_dropped > 0
    assert ended.stderr_dropped > 0


def test_it_stops_itself(tmp_path: Path) -> None:
    ended = run("echo $$ > main.pid; kill -STOP $$", tmp_path, timeout_s=SHORT)

    assert ended.timed_out
    assert all_gone(tmp_path)


@ONLY_LINUX
def test_it_kills_its_supervisor(tmp_path: Path) -> None:
    ended = run(f"echo $$ > main.pid; {STAYS} & {AND_IS_THERE}; kill -9 $PPID; exec sleep 600", tmp_path)

    assert (ended.exit_code, ended.timed_out) == (None, False)
    assert len(pids(tmp_path)) == 2
    assert all_gone(tmp_path)


@ONLY_LINUX
def test_it_stops_its_supervisor(tmp_path: Path) -> None:
    ended = run(f"(setsid {STAYS} &); {AND_IS_THERE}; kill -STOP $PPID; exec sleep 600", tmp_path, timeout_s=SHORT)

    assert (ended.exit_code, ended.timed_out) == (None, True)
    assert all_gone(tmp_path)


def test_it_asks_its_supervisor_to_end(tmp_path: Path) -> None:
    ended = run("kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; echo still here", tmp_path)

    assert (ended.exit_code, ended.stdout) == (0, b"still here\n")


@pytest.mark.parametrize("times", [1, 2])
def test_cancellation_ends_the_tree(tmp_path: Path, times: int) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(go(f"trap '' TERM; {STAYS} & wait; wait", tmp_path))
        await until_running(tmp_path)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert all_gone(tmp_path)

    asyncio.run(cancelled())


def test_cancellation_before_it_started(tmp_path: Path) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(go("echo $$ > main.pid; exec sleep 600", tmp_path))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert not any(alive(pid) for pid in pids(tmp_path))


def test_others_go_on_while_one_is_ended(tmp_path: Path) -> None:
    async def both() -> tuple[Ended, Ended]:
        return await asyncio.gather(
            go("trap '' TERM; while :; do sleep 0.01; done", tmp_path, timeout_s=SHORT),
            go("sleep 2; echo whole", tmp_path),
        )

    ended, other = asyncio.run(both())

    assert ended.timed_out
    assert (other.exit_code, other.stdout) == (0, b"whole\n")


WE_OURSELVES = """
import asyncio, os
from bylaw.process import run_program
command = "trap '' TERM; echo $$ > main.pid; sh -c 'echo $$ > daemon.pid; exec sleep 600'"
asyncio.run(run_program(command, directory=None, environment={"PATH": os.environ["PATH"]}, timeout_s=600))
"""


def test_when_we_are_killed_ourselves_it_ends_too(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WE_OURSELVES], cwd=tmp_path) as ours:
        try:
            wait_for(lambda: len(pids(tmp_path)) == 2)
        finally:
            ours.kill()

    wait_for(lambda: all_gone(tmp_path))
