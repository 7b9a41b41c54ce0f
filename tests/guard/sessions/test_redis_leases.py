"""A place is held while its holder is there, and comes back when it is gone."""

from __future__ import annotations

import asyncio
import gc
import time
from functools import partial
from typing import Any

import pytest

from bylaw.guard.sessions import Lease
from bylaw.guard.sessions.redis import Clients, RedisSessions

from .conftest import Opening
from .servers import RedisServer, eventually

ONE = [("calls", 1)]
SHORT_S = 0.4


def held(sessions: RedisSessions, session_id: str) -> Lease:
    lease = sessions.reserve(session_id, ONE).lease
    assert lease is not None
    return lease


def places_of(session_id: str) -> str:
    return f"{{bylaw:{session_id}}}:places"


def expiry_ms(server: RedisServer, session_id: str) -> float:
    """When the only lease of a session runs out, by the server's clock."""
    with server.client() as client:
        ((_, score),) = client.zrange(places_of(session_id), 0, -1, withscores=True)
    return float(score)


def renewed(server: RedisServer, session_id: str, *, since: float) -> bool:
    return expiry_ms(server, session_id) > since


def server_ms(server: RedisServer) -> float:
    with server.client() as client:
        seconds, microseconds = client.time()
    return float(seconds * 1000 + microseconds / 1000)


def run_out(server: RedisServer, session_id: str, rival: RedisSessions) -> None:
    """As if nobody had renewed the only lease of a session in time, and another process had seen it."""

    def seen() -> bool:
        with server.client() as client:
            (place,) = client.zrange(places_of(session_id), 0, -1)
            client.zadd(places_of(session_id), {place: 1}, xx=True)
        return rival.counts(session_id) == {"calls": 0}

    eventually(seen)


def run_out_if_unsettled(server: RedisServer, session_id: str) -> None:
    with server.client() as client:
        for place, score in client.zrange(places_of(session_id), 0, -1, withscores=True):
            if score > 0:
                client.zadd(places_of(session_id), {place: 1})


def test_a_long_call_keeps_its_place(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions, rival = opened(shared_server, lease_s=3.0), opened(shared_server, lease_s=600.0)
    lease = held(sessions, session_id)
    first = expiry_ms(shared_server, session_id)
    eventually(lambda: server_ms(shared_server) > first + 1000)
    assert rival.reserve(session_id, ONE).taken.full == "calls"
    assert lease.keep()
    assert rival.counts(session_id) == {"calls": 1}


def test_a_call_that_blocks_its_event_loop_keeps_its_place(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    sessions = opened(shared_server, lease_s=3.0)

    async def call() -> bool:
        lease = (await sessions.reserve_async(session_id, ONE)).lease
        assert lease is not None
        first = expiry_ms(shared_server, session_id)
        eventually(lambda: expiry_ms(shared_server, session_id) > first + 2000)
        return await lease.keep_async()

    assert asyncio.run(call())


def test_renewing_begins_again_after_a_pause(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions = opened(shared_server, lease_s=SHORT_S)
    for _ in range(2):
        lease = held(sessions, session_id)
        eventually(partial(renewed, shared_server, session_id, since=expiry_ms(shared_server, session_id)))
        assert lease.give_back()
        sessions.forget(session_id)
        time.sleep(SHORT_S)


def test_a_lease_that_nobody_has_is_not_renewed(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions = opened(shared_server, lease_s=SHORT_S)
    held(sessions, session_id)
    gc.collect()
    eventually(lambda: sessions.reserve(session_id, ONE).lease is not None)


def test_a_place_that_ran_out_is_free(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    gone, rival = opened(shared_server, lease_s=SHORT_S), opened(shared_server)
    lease = held(gone, session_id)
    gone.close()
    eventually(lambda: rival.counts(session_id) == {"calls": 0})
    assert not lease.keep()
    assert rival.reserve(session_id, ONE).lease is not None


def test_a_holder_that_is_heard_of_again_counts_again(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    sessions, rival = opened(shared_server, lease_s=3.0), opened(shared_server)
    lease = held(sessions, session_id)
    run_out(shared_server, session_id, rival)
    eventually(lambda: rival.counts(session_id) == {"calls": 1})
    assert lease.give_back()
    assert rival.counts(session_id) == {"calls": 0}


@pytest.mark.parametrize("rival_came_first", [False, True])
def test_a_call_that_was_executed_counts_even_if_its_lease_ran_out(
    shared_server: RedisServer, session_id: str, opened: Opening, rival_came_first: bool
) -> None:
    sessions, rival = opened(shared_server, lease_s=600.0), opened(shared_server)
    lease = held(sessions, session_id)
    run_out(shared_server, session_id, rival)
    if rival_came_first:
        assert rival.take(session_id, ONE).full is None
    assert lease.keep()
    assert lease.keep()
    assert rival.counts(session_id) == {"calls": 2 if rival_came_first else 1}


def test_a_place_that_ran_out_is_not_given_back_twice(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    sessions, rival = opened(shared_server, lease_s=600.0), opened(shared_server)
    lease = held(sessions, session_id)
    run_out(shared_server, session_id, rival)
    assert rival.take(session_id, ONE).full is None
    assert lease.give_back()
    assert rival.counts(session_id) == {"calls": 1}


def test_telling_the_server_twice_is_as_telling_it_once(shared_server: RedisServer, session_id: str) -> None:
    """A client that sends every command again, as one does that lost the answer."""
    clients = Clients(name="twice", connect=lambda: Stubborn(shared_server), connect_async=lambda: None)
    sessions = RedisSessions(clients, ttl_s=600.0)
    try:
        kept, given_back = (sessions.reserve(session_id, [("calls", 2)]) for _ in range(2))
        assert [kept.taken.counts, given_back.taken.counts] == [(1,), (2,)]
        assert kept.lease is not None
        assert given_back.lease is not None
        assert kept.lease.keep()
        assert given_back.lease.give_back()
        assert sessions.counts(session_id) == {"calls": 1}
    finally:
        sessions.close()


class Stubborn:
    def __init__(self, server: RedisServer) -> None:
        self._client = server.client()

    def evalsha(self, *arguments: Any) -> object:
        self._client.evalsha(*arguments)
        return self._client.evalsha(*arguments)

    def eval(self, *arguments: Any) -> object:
        self._client.eval(*arguments)
        return self._client.eval(*arguments)

    def close(self) -> None:
        self._client.close()


class Silent:
    """A client that never gets an answer."""

    async def evalsha(self, *arguments: Any) -> object:
        return await asyncio.Event().wait()

    async def aclose(self) -> None: ...


@pytest.mark.parametrize("lease_s", [1.0, 600.0], ids=["while it goes on", "when it ends"])
def test_a_cancelled_call_that_was_executed_is_told_later(
    shared_server: RedisServer, session_id: str, opened: Opening, lease_s: float
) -> None:
    clients = Clients(name="silent", connect=shared_server.client, connect_async=Silent)
    sessions = RedisSessions(clients, ttl_s=600.0, lease_s=lease_s, timeout_s=600.0)
    lease = held(sessions, session_id)

    async def cancelled() -> None:
        keeping = asyncio.ensure_future(lease.keep_async())
        await asyncio.sleep(0)
        keeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await keeping

    asyncio.run(cancelled())
    if lease_s == 1.0:
        eventually(lambda: sessions.owed == 0)
    else:
        assert sessions.owed == 1
    sessions.close()
    run_out_if_unsettled(shared_server, session_id)
    assert opened(shared_server).counts(session_id) == {"calls": 1}


def test_what_was_settled_long_ago_takes_no_room(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    sessions = opened(shared_server, lease_s=SHORT_S)

    def remembered() -> int:
        sessions.take(session_id, [("attempts", None)])
        with shared_server.client() as client:
            return int(client.zcard(places_of(session_id)))

    for _ in range(5):
        lease = sessions.reserve(session_id, [("calls", None)]).lease
        assert lease is not None
        lease.keep()
    eventually(lambda: remembered() == 0)
    assert sessions.counts(session_id)["calls"] == 5
