"""Clocks that jump: leases and lives of sessions follow the Redis server, timestamps the machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bylaw.evidence import ToolCall
from bylaw.guard.audit import AuditEvent, FileSink, Redactor, read_events, verify
from bylaw.guard.decision import Decision
from bylaw.guard.judged import Judged
from bylaw.guard.reporting import Reporter
from bylaw.guard.request import Request
from bylaw.guard.sessions import Lease
from bylaw.guard.sessions.redis import RedisSessions

from .sessions.servers import RedisServer

LEASE_S, TTL_S = 600.0, 6000.0
WANTED = [("calls", 1)]

JUMP = """
local by = tonumber(ARGV[1])
local places = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 1, #places, 2 do
  local score = tonumber(places[i + 1])
  redis.call('ZADD', KEYS[2], score >= 0 and score - by or score + by, places[i])
end
for _, key in ipairs(KEYS) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - by) end
end
"""
"""What is left of every time of a session when the server's clock has jumped."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    own = RedisServer(tmp_path_factory.mktemp("redis"))
    own.start()
    yield own
    own.kill()


@pytest.fixture
def two(server: RedisServer) -> Iterator[tuple[RedisSessions, RedisSessions]]:
    """A process with a call under way, and another."""
    both = [RedisSessions(server.url, ttl_s=TTL_S, lease_s=LEASE_S, timeout_s=10.0) for _ in range(2)]
    yield both[0], both[1]
    for sessions in both:
        sessions.close()


def jump(server: RedisServer, session_id: str, seconds: float) -> None:
    keys = [f"{{bylaw:{session_id}}}:{name}" for name in ("counts", "places")]
    with server.client() as client:
        client.eval(JUMP, 2, *keys, round(seconds * 1000))


def held(sessions: RedisSessions, session_id: str) -> Lease | None:
    return sessions.reserve(session_id, WANTED).lease


def test_a_small_jump_of_the_servers_clock_changes_nothing(
    server: RedisServer, two: tuple[RedisSessions, RedisSessions]
) -> None:
    own, rival = two
    lease = held(own, "small")
    for seconds in (LEASE_S / 2, -LEASE_S / 2):
        jump(server, "small", seconds)
        assert held(rival, "small") is None
    assert lease is not None
    assert lease.keep()
    assert rival.counts("small") == {"calls": 1}


def test_a_jump_over_a_lease_gives_places_of_calls_under_way_to_others(
    server: RedisServer, two: tuple[RedisSessions, RedisSessions]
) -> None:
    """No more than were under way: whoever comes next finds all of them counted."""
    own, rival = two
    lease = held(own, "over")
    jump(server, "over", LEASE_S + 1)
    second = held(rival, "over")
    assert lease is not None
    assert second is not None
    assert lease.keep()
    assert second.keep()
    assert own.counts("over") == {"calls": 2}
    assert held(own, "over") is None


def test_a_jump_back_keeps_the_place_of_a_process_that_is_gone_for_longer(
    server: RedisServer, two: tuple[RedisSessions, RedisSessions]
) -> None:
    own, rival = two
    lease = held(own, "back")
    assert lease is not None
    del lease  # as if its process were gone: nobody renews it
    jump(server, "back", -1000)
    jump(server, "back", LEASE_S + 1)
    assert held(rival, "back") is None
    jump(server, "back", 1000)
    assert held(rival, "back") is not None


def test_a_jump_over_the_life_of_a_session_forgets_it(
    server: RedisServer, two: tuple[RedisSessions, RedisSessions]
) -> None:
    own, rival = two
    first = held(own, "life")
    assert first is not None
    assert first.keep()
    assert held(rival, "life") is None
    jump(server, "life", TTL_S + 1)
    assert rival.counts("life") == {}
    assert held(rival, "life") is not None


def test_a_call_that_outlives_its_session_is_counted_all_the_same(
    server: RedisServer, two: tuple[RedisSessions, RedisSessions]
) -> None:
    own, rival = two
    lease = held(own, "outlived")
    jump(server, "outlived", TTL_S + 1)
    assert lease is not None
    assert lease.keep()
    assert rival.counts("outlived") == {"calls": 1}


def test_timestamps_follow_a_clock_that_jumps_and_the_chain_holds_the_order(tmp_path: Path) -> None:
    times = iter([1_700_000_000_000_000_000, 1_600_000_000_000_000_000, 4_000_000_000_000_000_000, -5_000_000_000])
    log = tmp_path / "audit.jsonl"
    sink = FileSink(log)
    reporter = Reporter(
        sink=sink, redactor=Redactor(), policy_version="v", mode="enforce", run_id="r", clock=lambda: next(times)
    )
    for index in range(4):
        request = Request(tool="t", args={}, session_id="s", environment="e", call_index=index)
        judged = Judged(request=request, call=ToolCall(tool="t", args={}), decision=Decision(allowed=True))
        assert reporter.about(judged).allowed()
    sink.close()
    events = [each for each in read_events(log) if isinstance(each, AuditEvent)]
    assert [event.call_index for event in events] == [0, 1, 2, 3]
    assert [event.timestamp[:10] for event in events] == ["2023-11-14", "2020-09-13", "2096-10-02", "1969-12-31"]
    assert verify([log]).state == "held"
