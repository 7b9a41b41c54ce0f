"""An audit that fails, hangs or has no room: what it costs the calls, and what the log says of it afterwards."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bylaw.guard.audit import AuditEvent, FileSink, SinkFailed
from bylaw.guard.decision import Denied
from bylaw.guard.sessions import MemorySessions, Reserved
from bylaw.guard.sessions.places import Wanted

from .bundles import ALWAYS, Call, X, actions, echo, guard_of, last, limit, post, pre, watched

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no `/dev/full` here")


class Holding:
    """A sink that holds up its first event until somebody lets go."""

    def __init__(self, log: list[str]) -> None:
        self.log = log
        self.held, self.let_go = threading.Event(), threading.Event()

    def emit(self, event: AuditEvent, /) -> None:
        if not self.held.is_set():
            self.held.set()
            self.let_go.wait()
            self.log.append("sink")

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


def test_a_sink_that_blocks_holds_up_the_event_loop() -> None:
    """Sinks are called where the call is made. One that may block has to do its work in a thread of its own."""
    order: list[str] = []
    sink = Holding(order)
    guard = guard_of(pre("p", X), audit_sink=sink)

    async def beside() -> None:
        order.append("another task")

    async def agents() -> None:
        await asyncio.gather(guard.run("t", {}, echo), beside())

    thread = threading.Thread(target=asyncio.run, args=(agents(),))
    thread.start()
    sink.held.wait()
    sink.let_go.set()
    thread.join()
    assert order == ["sink", "another task"]


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size here")
def test_a_disk_that_hangs_holds_up_nobody_while_there_is_room_to_wait(tmp_path: Path) -> None:
    """A pipe that nobody reads takes no more than it holds; what the calls leave behind is written by a thread."""
    pipe = tmp_path / "audit.jsonl"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    sink = FileSink(pipe, interval_s=0.001)
    guard = guard_of(pre("p", X), audit_sink=sink)

    async def agent() -> None:
        for _ in range(100):
            assert await guard.run("t", {"y": "a" * 200}, echo) == "echo"

    asyncio.run(agent())
    got: list[bytes] = []
    os.set_blocking(reader, True)
    draining = threading.Thread(target=lambda: got.extend(iter(lambda: os.read(reader, 65536), b"")))
    draining.start()
    guard.close()
    draining.join()
    os.close(reader)
    lines = b"".join(got).splitlines()
    assert len(lines) == 200
    assert sum(map(len, lines)) > 10 * 4096


@needs_full
def test_a_full_disk_changes_no_decision_and_is_told_once(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    sink = FileSink(FULL, flush="always")
    guard = guard_of(pre("p", X), limit("l", max_tool_calls=3), audit_sink=sink)
    for _ in range(3):
        assert call(guard, "t", {}, echo).result == "echo"
        with pytest.raises(Denied, match="p says no"):
            call(guard, "t", {"x": 1}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert told == [
        "the audit could not be written: SinkFailed: can't write the audit to /dev/full: No space left on device"
    ]
    with pytest.raises(SinkFailed, match="events never written: 10"):
        guard.close()


@needs_full
def test_strict_a_full_disk_denies(call: Call) -> None:
    guard = guard_of(limit("l", max_tool_calls=1), audit_sink=FileSink(FULL, flush="always"), strict_audit=True)
    ran: list[int] = []
    for _ in range(2):
        with pytest.raises(Denied, match="must not act unrecorded"):
            call(guard, "t", {}, lambda: ran.append(1))
    assert ran == []
    with pytest.raises(SinkFailed):
        guard.close()


FILLING = """
import resource, sys
from bylaw.guard.audit import FileSink
from bylaw.guard.guard import Guard

guard = Guard(audit_sink=FileSink(sys.argv[1], flush="always"))
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
args = {f"part {number}": "word " * 200 for number in range(40)}
guard.run_sync("t", args, lambda **_: None)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
for _ in range(120):
    guard.run_sync("t", args, lambda **_: None)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
guard.close()
"""


def test_what_a_full_disk_cost_is_said_by_the_log_itself(tmp_path: Path) -> None:
    """A file that may not grow stands for the disk. Eight MiB wait for room; the chain tells how much was lost."""
    log = tmp_path / "audit.jsonl"
    filled = subprocess.run([sys.executable, "-c", FILLING, log], capture_output=True, text=True, check=False)
    assert filled.returncode == 0, filled.stderr
    assert filled.stderr.count("the audit could not be written") == 1
    verified = subprocess.run(
        [sys.executable, "-m", "bylaw", "audit", "verify", log], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "events were never written: can't write the audit to" in verified.stdout
    assert "File too large" in verified.stdout


class Far(MemorySessions):
    """Keeping a place takes until somebody loses patience."""

    async def reserve_async(self, session_id: str, wanted: Wanted, /) -> Reserved:
        reserved = self.reserve(session_id, wanted)
        return Reserved(taken=reserved.taken, lease=FarLease())


class FarLease:
    def keep(self) -> bool:
        return True

    def give_back(self) -> bool:
        raise AssertionError("the tool has run")

    async def keep_async(self) -> bool:
        await asyncio.Event().wait()
        raise AssertionError

    async def give_back_async(self) -> bool:
        return self.give_back()


@pytest.mark.parametrize("looked_at", [True, False], ids=["withheld", "free"])
def test_a_call_cancelled_after_its_tool_has_run_is_recorded_without_what_might_be_withheld(looked_at: bool) -> None:
    rules = [post("w", ALWAYS, then={"output": "withhold"})] if looked_at else []
    guard, sink = watched(limit("l", max_tool_calls=1), *rules, backend=Far())

    async def agent() -> None:
        await asyncio.wait_for(guard.run("t", {}, lambda: "the answer"), 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(agent())
    assert actions(sink) == ["CALL_ALLOWED", "CALL_EXECUTED"]
    assert last(sink).result_summary == (None if looked_at else "the answer")
