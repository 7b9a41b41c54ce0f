"""Programs that share a limit with the test: run as `python workers.py NAME URL SESSION …`."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from bylaw.guard.sessions import Reserved
from bylaw.guard.sessions.redis import RedisSessions

THREADS = 4
TASKS = 20


def start(name: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, name, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


class Tally:
    def __init__(self) -> None:
        self.kept = 0
        self.most = 0
        self._lock = threading.Lock()

    def see(self, reserved: Reserved, *, kept: bool) -> None:
        with self._lock:
            self.most = max(self.most, *reserved.taken.counts)
            self.kept += kept and reserved.lease is not None


def hammer(url: str, session_id: str, limit: str, rounds: str) -> None:
    """From threads and from tasks at once; prints how many places it kept, and the most it ever saw taken."""
    wanted = (("calls", int(limit)), ("calls:send", None))
    sessions = RedisSessions(url, ttl_s=600.0, timeout_s=30.0)
    tally = Tally()

    def work(worker: int) -> None:
        for turn in range(int(rounds)):
            kept = (turn + worker) % 4 == 0
            reserved = sessions.reserve(session_id, wanted)
            tally.see(reserved, kept=kept)
            if reserved.lease is not None:
                assert reserved.lease.keep() if kept else reserved.lease.give_back()

    async def work_async(worker: int) -> None:
        for turn in range(int(rounds) // 4):
            kept = (turn + worker) % 4 == 0
            reserved = await sessions.reserve_async(session_id, wanted)
            tally.see(reserved, kept=kept)
            if reserved.lease is not None:
                assert await (reserved.lease.keep_async() if kept else reserved.lease.give_back_async())

    async def work_in_tasks() -> None:
        await asyncio.gather(*map(work_async, range(TASKS)))

    with ThreadPoolExecutor(THREADS + 1) as pool:
        tasks = pool.submit(asyncio.run, work_in_tasks())
        list(pool.map(work, range(THREADS)))
        tasks.result()
    sessions.close()
    print(tally.kept, tally.most)


def hold(url: str, session_id: str, lease_s: str) -> None:
    """Takes a place, and is in the midst of its call until it is killed."""
    sessions = RedisSessions(url, ttl_s=600.0, lease_s=float(lease_s), timeout_s=10.0)
    lease = sessions.reserve(session_id, [("calls", 1)]).lease
    print("held" if lease is not None else "full", flush=True)
    sys.stdin.read()


def fork(url: str, session_id: str) -> None:
    """Parent and child share a connection and a lease by birth, and must not use either of them together."""
    sessions = RedisSessions(url, ttl_s=600.0, timeout_s=10.0)
    inherited = sessions.reserve(session_id, [("calls", None)]).lease
    assert inherited is not None
    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            inherited.give_back()
            for _ in range(50):
                own = sessions.reserve(session_id, [("calls", None)]).lease
                assert own is not None
                assert own.keep()
            sessions.close()
            os._exit(0)
        children.append(child)
    for _ in range(50):
        lease = sessions.reserve(session_id, [("calls", None)]).lease
        assert lease is not None
        assert lease.give_back()
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0, 0]
    assert inherited.keep()
    sessions.close()
    print("done")


PROGRAMS: dict[str, Callable[..., None]] = {"hammer": hammer, "hold": hold, "fork": fork}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
