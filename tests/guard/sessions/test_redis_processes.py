"""Several processes on one session."""

from __future__ import annotations

from . import workers
from .conftest import Opening
from .servers import RedisServer, eventually


def test_processes_never_exceed_a_limit(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    limit = 60
    running = [workers.start("hammer", shared_server.url, session_id, limit, 60) for _ in range(3)]
    told = [process.communicate(timeout=300)[0].split() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    kept = sum(int(kept) for kept, _ in told)
    assert max(int(most) for _, most in told) <= limit
    sessions = opened(shared_server)
    assert sessions.counts(session_id) == {"calls": kept, "calls:send": kept}
    while (last := sessions.reserve(session_id, [("calls", limit), ("calls:send", None)])).lease is not None:
        last.lease.keep()
        kept += 1
    assert kept == limit


def test_a_process_killed_in_the_midst_of_a_call_loses_its_place(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    holder = workers.start("hold", shared_server.url, session_id, 1.0)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        sessions = opened(shared_server, lease_s=600.0)
        assert sessions.reserve(session_id, [("calls", 1)]).taken.full == "calls"
    finally:
        holder.kill()
        holder.communicate()
    eventually(lambda: sessions.reserve(session_id, [("calls", 1)]).lease is not None)


def test_a_forked_process_has_connections_and_leases_of_its_own(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    forking = workers.start("fork", shared_server.url, session_id)
    assert forking.communicate(timeout=300)[0] == "done\n"
    assert opened(shared_server).counts(session_id) == {"calls": 4 * 50 + 1}
