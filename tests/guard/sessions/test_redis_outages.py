"""A server that goes away: nothing is counted, and nothing hangs; it comes back, and all is as before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from bylaw.guard.sessions import BackendGone
from bylaw.guard.sessions.redis import RedisSessions

from .conftest import Opening
from .servers import RedisServer, eventually

ANY = [("calls", None)]
Take = Callable[[RedisSessions, str], int]


def plainly(sessions: RedisSessions, session_id: str) -> int:
    return sessions.take(session_id, ANY).counts[0]


def awaited(sessions: RedisSessions, session_id: str) -> int:
    return asyncio.run(sessions.take_async(session_id, ANY)).counts[0]


@pytest.fixture(params=[plainly, awaited], ids=["sync", "async"])
def take(request: pytest.FixtureRequest) -> Take:
    road: Take = request.param
    return road


def recovers(take: Take, sessions: RedisSessions, session_id: str) -> bool:
    try:
        return take(sessions, session_id) > 0
    except BackendGone:
        return False


def test_a_server_that_is_not_there_yet(server: RedisServer, session_id: str, opened: Opening, take: Take) -> None:
    sessions = opened(server)
    with pytest.raises(BackendGone, match=rf"Redis at `127.0.0.1:{server.port}/0` can't be reached: Error"):
        take(sessions, session_id)
    server.start()
    assert take(sessions, session_id) == 1


def test_an_error_does_not_tell_the_password(server: RedisServer, session_id: str) -> None:
    sessions = RedisSessions(server.url.replace("redis://", "redis://agent:hunter2@"), ttl_s=60.0)
    with pytest.raises(BackendGone) as gone:
        sessions.take(session_id, ANY)
    sessions.close()
    assert "hunter2" not in str(gone.value)


def test_a_server_that_is_killed_and_comes_back(
    durable_server: RedisServer, session_id: str, opened: Opening, take: Take
) -> None:
    durable_server.start()
    sessions = opened(durable_server)
    assert take(sessions, session_id) == 1
    durable_server.kill()
    for _ in range(3):
        with pytest.raises(BackendGone):
            take(sessions, session_id)
    durable_server.start()
    assert take(sessions, session_id) == 2


def test_tasks_on_a_loop_that_outlives_the_server(server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions = opened(server)

    async def many() -> list[object]:
        return await asyncio.gather(
            *(sessions.take_async(session_id, ANY) for _ in range(200)), return_exceptions=True
        )

    async def through_it_all() -> None:
        server.start()
        assert not any(isinstance(taken, BaseException) for taken in await many())
        server.kill()
        assert all(isinstance(taken, BackendGone) for taken in await many())
        server.start()
        assert not any(isinstance(taken, BaseException) for taken in await many())

    asyncio.run(through_it_all())
    assert sessions.counts(session_id) == {"calls": 200}


def test_a_server_that_does_not_answer(server: RedisServer, session_id: str, opened: Opening, take: Take) -> None:
    server.start()
    sessions = opened(server, timeout_s=0.2)
    sessions.counts(session_id)
    server.freeze()
    with pytest.raises(BackendGone, match="can't be reached"):
        take(sessions, session_id)
    server.thaw()
    eventually(lambda: recovers(take, sessions, session_id))


def test_many_tasks_do_not_wait_one_after_another_for_a_server_that_does_not_answer(
    server: RedisServer, session_id: str, opened: Opening
) -> None:
    server.start()
    sessions = opened(server, timeout_s=0.5)

    async def many() -> list[object]:
        await sessions.take_async(session_id, ANY)
        server.freeze()
        return await asyncio.gather(
            *(sessions.take_async(session_id, ANY) for _ in range(20_000)), return_exceptions=True
        )

    ended = asyncio.run(many())
    server.thaw()
    assert all(isinstance(taken, BackendGone) for taken in ended)


@pytest.mark.parametrize("turns", [2, 5])
def test_an_answer_that_nobody_had_time_to_read_is_no_missing_answer(
    shared_server: RedisServer, session_id: str, opened: Opening, turns: int
) -> None:
    """Whatever the call is doing when a tool begins to block the loop: connecting, greeting, asking."""
    sessions = opened(shared_server, timeout_s=1.5)

    def a_tool_that_blocks() -> None:
        time.sleep(1.6)

    async def calls() -> int:
        taking = asyncio.ensure_future(sessions.take_async(session_id, ANY))
        for _ in range(turns):
            await asyncio.sleep(0)
        a_tool_that_blocks()
        return (await taking).counts[0]

    assert asyncio.run(calls()) == 1


@pytest.mark.parametrize("road", ["sync", "async"])
def test_a_call_executed_while_the_server_was_away_is_counted_when_it_is_back(
    durable_server: RedisServer, session_id: str, opened: Opening, road: str
) -> None:
    durable_server.start()
    sessions = opened(durable_server, lease_s=1.0)
    reserved = sessions.reserve(session_id, [("calls", 5)])
    assert reserved.lease is not None
    durable_server.kill()
    assert not (reserved.lease.keep() if road == "sync" else asyncio.run(reserved.lease.keep_async()))
    assert sessions.owed == 1
    durable_server.start()
    eventually(lambda: sessions.owed == 0)
    assert sessions.counts(session_id) == {"calls": 1}


def test_a_call_executed_is_counted_even_if_the_server_forgot_the_session(
    server: RedisServer, session_id: str, opened: Opening
) -> None:
    server.start()
    sessions = opened(server, lease_s=1.0)
    reserved = sessions.reserve(session_id, [("calls", 5)])
    assert reserved.lease is not None
    server.kill()
    reserved.lease.keep()
    server.start()
    eventually(lambda: sessions.owed == 0)
    assert sessions.counts(session_id) == {"calls": 1}


@pytest.mark.parametrize("road", ["sync", "async"])
def test_a_failed_call_whose_place_could_not_be_given_back_loses_it_with_time(
    durable_server: RedisServer, session_id: str, opened: Opening, road: str
) -> None:
    durable_server.start()
    sessions = opened(durable_server, lease_s=0.5)
    reserved = sessions.reserve(session_id, [("calls", 1)])
    assert reserved.lease is not None
    durable_server.kill()
    assert not (reserved.lease.give_back() if road == "sync" else asyncio.run(reserved.lease.give_back_async()))
    durable_server.start()
    eventually(lambda: sessions.reserve(session_id, [("calls", 1)]).lease is not None)


def test_a_call_under_way_when_the_server_restarts_still_has_its_place(
    durable_server: RedisServer, session_id: str, opened: Opening
) -> None:
    durable_server.start()
    sessions, rival = opened(durable_server, lease_s=1.0), opened(durable_server)
    reserved = sessions.reserve(session_id, [("calls", 1)])
    durable_server.kill()
    time.sleep(1.5)
    durable_server.start()
    eventually(lambda: rival.counts(session_id) == {"calls": 1})
    assert reserved.lease is not None
    assert reserved.lease.keep()
    assert rival.counts(session_id) == {"calls": 1}
