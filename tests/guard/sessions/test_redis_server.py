"""A session on the server: where it is kept, how long, and on which kinds of server."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio.cluster
import redis.cluster

from bylaw.guard.sessions import BackendGone
from bylaw.guard.sessions.redis import Clients, RedisSessions

from .conftest import Opening
from .servers import RedisServer, eventually


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[RedisServer]:
    """A cluster of one, which refuses keys of different slots as any cluster does."""
    own = RedisServer(tmp_path, cluster=True)
    try:
        own.start()
        with own.client() as client:
            client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
            eventually(lambda: client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")
        yield own
    finally:
        own.kill()


def test_an_unused_session_is_forgotten(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions = opened(shared_server, ttl_s=0.3, lease_s=0.3)
    lease = sessions.reserve(session_id, [("calls", 1)]).lease
    assert lease is not None
    assert lease.keep()
    with shared_server.client() as client:
        eventually(lambda: not client.keys(f"*{session_id}*"))
    assert sessions.counts(session_id) == {}


def test_every_key_of_a_session_expires(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions = opened(shared_server, ttl_s=100.0)
    sessions.take(session_id, [("attempts", None)])
    lease = sessions.reserve(session_id, [("calls", None)]).lease
    with shared_server.client() as client:
        for _ in range(2):
            keys = client.keys(f"*{session_id}*")
            assert sorted(keys) == [f"{{bylaw:{session_id}}}:counts", f"{{bylaw:{session_id}}}:places"]
            assert all(0 < client.ttl(key) <= 100 for key in keys)
            assert lease is not None
            lease.keep()


def test_a_call_under_way_keeps_its_session(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions = opened(shared_server, ttl_s=3.0, lease_s=3.0)
    sessions.take(session_id, [("attempts", None)])
    lease = sessions.reserve(session_id, [("calls", None)]).lease
    with shared_server.client() as client:
        key = f"{{bylaw:{session_id}}}:counts"
        first = client.pexpiretime(key)
        eventually(lambda: client.pexpiretime(key) > first)
    assert lease is not None
    assert lease.keep()
    assert sessions.counts(session_id) == {"attempts": 1, "calls": 1}


def test_a_prefix_and_a_session_are_not_taken_for_another_pair(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    ours, theirs = opened(shared_server, prefix="desk"), opened(shared_server, prefix=f"desk:{session_id}")
    assert ours.take(f"{session_id}:1", [("a", 1)]).full is None
    assert theirs.take("1", [("a", 1)]).full is None
    assert ours.counts(f"{session_id}:1") == {"a": 1}


def test_prefixes_keep_sessions_apart(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    ours, theirs = opened(shared_server, prefix="ours"), opened(shared_server, prefix="theirs")
    ours.take(session_id, [("a", 1)])
    assert theirs.take(session_id, [("a", 1)]).full is None


def test_scripts_are_loaded_again_when_the_server_lost_them(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    sessions = opened(shared_server)
    for count in range(1, 4):
        assert sessions.take(session_id, [("a", None)]).counts == (count,)
        with shared_server.client() as client:
            client.script_flush()
        assert asyncio.run(sessions.counts_async(session_id)) == {"a": count}


def test_all_of_a_session_is_in_one_slot_of_a_cluster(cluster: RedisServer, opened: Opening) -> None:
    sessions = opened(cluster)
    for odd in ("", "}", "a}b", "{}", "{", "x}{y"):
        lease = sessions.reserve(odd, [("calls", 1), (f"calls:{odd}", 1)]).lease
        assert lease is not None
        assert lease.keep()
        assert sessions.reserve(odd, [("calls", 1)]).lease is None
        sessions.forget(odd)


def test_clients_of_ones_own_may_be_those_of_a_cluster(cluster: RedisServer, session_id: str) -> None:
    sessions = RedisSessions(
        Clients(
            name="our cluster",
            connect=lambda: redis.cluster.RedisCluster(host="127.0.0.1", port=cluster.port),
            connect_async=lambda: redis.asyncio.cluster.RedisCluster(host="127.0.0.1", port=cluster.port),
        ),
        ttl_s=600.0,
        timeout_s=30.0,
    )

    async def call(number: int) -> bool:
        lease = (await sessions.reserve_async(f"{session_id}-{number}", [("calls", 1)])).lease
        assert lease is not None
        return await lease.keep_async()

    async def calls() -> list[bool]:
        return await asyncio.gather(*map(call, range(20)))

    try:
        assert all(asyncio.run(calls()))
        assert all(sessions.reserve(f"{session_id}-{number}", [("calls", 1)]).lease is None for number in range(20))
    finally:
        sessions.close()


def test_what_is_no_session_of_ours_is_refused(shared_server: RedisServer, session_id: str, opened: Opening) -> None:
    sessions = opened(shared_server)
    with shared_server.client() as client:
        client.set(f"{{bylaw:{session_id}}}:counts", "something else")
    with pytest.raises(BackendGone, match=r"would not count this session: .*WRONGTYPE"):
        sessions.take(session_id, [("a", None)])
    with pytest.raises(BackendGone, match="would not count this session"):
        asyncio.run(sessions.take_async(session_id, [("a", None)]))


def test_a_refused_session_does_not_hold_up_the_others(
    shared_server: RedisServer, session_id: str, opened: Opening
) -> None:
    sessions = opened(shared_server, lease_s=0.4)
    broken, sound = f"{session_id}-broken", f"{session_id}-sound"
    leases = [sessions.reserve(name, [("calls", None)]).lease for name in (broken, sound)]
    places = f"{{bylaw:{sound}}}:places"
    with shared_server.client() as client:
        client.set(f"{{bylaw:{broken}}}:places", "something else")
        ((_, first),) = client.zrange(places, 0, -1, withscores=True)
        eventually(lambda: client.zrange(places, 0, -1, withscores=True)[0][1] > first)
    assert [lease is not None and lease.keep() for lease in leases] == [False, True]
    assert sessions.owed == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"lease_s": 0.0}, "`lease_s` must be above 0 and at most `ttl_s`, which is 60.0; it is 0.0"),
        ({"lease_s": 61.0}, "`lease_s` must be above 0 and at most `ttl_s`, which is 60.0; it is 61.0"),
        ({"prefix": ""}, "`prefix` must be a word without blanks and braces; it is ``"),
        ({"prefix": "a{b"}, "`prefix` must be a word without blanks and braces; it is `a{b`"),
        ({"prefix": "a b"}, "`prefix` must be a word without blanks and braces; it is `a b`"),
    ],
)
def test_settings_that_can_not_work_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as refused:
        RedisSessions("redis://localhost", **{"ttl_s": 60.0, **settings})
    assert str(refused.value) == said


def test_an_address_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="redis://"):
        RedisSessions("localhost:6379", ttl_s=60.0)


def test_only_who_counts_in_redis_needs_its_client() -> None:
    without = "import sys; sys.modules['redis'] = None"
    programs = [f"{without}; import bylaw.guard.sessions", f"{without}; import bylaw.guard.sessions.redis"]
    neither, redis_too = (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        for program in programs
    )
    assert neither.stderr == ""
    assert redis_too.stderr.splitlines()[-1] == (
        "ImportError: counting sessions in Redis needs the extra `redis`: pip install 'bylaw[redis]'"
    )
