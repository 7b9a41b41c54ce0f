"""What holds for the counters of a session, whatever keeps them and whoever asks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import pytest

from bylaw.guard.sessions import BackendGone, Lease, Reserved, Sessions
from bylaw.guard.sessions.places import Wanted
from bylaw.policy.ledger import Taken


class Road(Protocol):
    def take(self, sessions: Sessions, session_id: str, wanted: Wanted) -> Taken: ...
    def reserve(self, sessions: Sessions, session_id: str, wanted: Wanted) -> Reserved: ...
    def keep(self, lease: Lease | None) -> bool: ...
    def give_back(self, lease: Lease | None) -> bool: ...
    def counts(self, sessions: Sessions, session_id: str) -> Mapping[str, int]: ...


class Plain:
    def take(self, sessions: Sessions, session_id: str, wanted: Wanted) -> Taken:
        return sessions.take(session_id, wanted)

    def reserve(self, sessions: Sessions, session_id: str, wanted: Wanted) -> Reserved:
        return sessions.reserve(session_id, wanted)

    def keep(self, lease: Lease | None) -> bool:
        assert lease is not None
        return lease.keep()

    def give_back(self, lease: Lease | None) -> bool:
        assert lease is not None
        return lease.give_back()

    def counts(self, sessions: Sessions, session_id: str) -> Mapping[str, int]:
        return sessions.counts(session_id)


class Awaited:
    """Every step in an event loop of its own."""

    def take(self, sessions: Sessions, session_id: str, wanted: Wanted) -> Taken:
        return asyncio.run(sessions.take_async(session_id, wanted))

    def reserve(self, sessions: Sessions, session_id: str, wanted: Wanted) -> Reserved:
        return asyncio.run(sessions.reserve_async(session_id, wanted))

    def keep(self, lease: Lease | None) -> bool:
        assert lease is not None
        return asyncio.run(lease.keep_async())

    def give_back(self, lease: Lease | None) -> bool:
        assert lease is not None
        return asyncio.run(lease.give_back_async())

    def counts(self, sessions: Sessions, session_id: str) -> Mapping[str, int]:
        return asyncio.run(sessions.counts_async(session_id))


@pytest.fixture(params=[Plain(), Awaited()], ids=["sync", "async"])
def road(request: pytest.FixtureRequest) -> Road:
    through: Road = request.param
    return through


def test_taking_adds_one_to_every_counter(sessions: Sessions, session_id: str, road: Road) -> None:
    assert road.take(sessions, session_id, [("a", None), ("b", 2)]) == Taken(counts=(1, 1))
    assert road.take(sessions, session_id, [("b", 2)]) == Taken(counts=(2,))
    assert road.counts(sessions, session_id) == {"a": 1, "b": 2}


def test_one_full_counter_takes_none_of_the_others(sessions: Sessions, session_id: str, road: Road) -> None:
    road.take(sessions, session_id, [("b", 1)])
    assert road.take(sessions, session_id, [("a", None), ("b", 1), ("c", 1)]) == Taken(counts=(0, 1, 0), full="b")
    assert not road.counts(sessions, session_id).get("a")


def test_the_first_full_counter_is_named(sessions: Sessions, session_id: str, road: Road) -> None:
    assert road.take(sessions, session_id, [("a", 0), ("b", 0)]).full == "a"


def test_a_full_counter_gives_no_lease(sessions: Sessions, session_id: str, road: Road) -> None:
    assert road.reserve(sessions, session_id, [("a", 0)]) == Reserved(taken=Taken(counts=(0,), full="a"))


def test_a_held_place_counts_and_a_kept_one_stays(sessions: Sessions, session_id: str, road: Road) -> None:
    held = road.reserve(sessions, session_id, [("a", 1), ("b", None)])
    assert held.taken == Taken(counts=(1, 1))
    assert road.reserve(sessions, session_id, [("a", 1), ("b", None)]).taken == Taken(counts=(1, 1), full="a")
    assert road.keep(held.lease)
    assert road.reserve(sessions, session_id, [("a", 1)]).lease is None


def test_a_place_given_back_is_free(sessions: Sessions, session_id: str, road: Road) -> None:
    held = road.reserve(sessions, session_id, [("a", 1), ("b", None)])
    assert road.give_back(held.lease)
    assert road.counts(sessions, session_id) == {"a": 0, "b": 0}
    assert road.reserve(sessions, session_id, [("a", 1)]).lease is not None


@pytest.mark.parametrize("first", ["keep", "give_back"])
def test_a_lease_is_settled_once(sessions: Sessions, session_id: str, road: Road, first: str) -> None:
    held = road.reserve(sessions, session_id, [("a", None)])
    settle = {"keep": road.keep, "give_back": road.give_back}
    assert settle[first](held.lease)
    for again in (road.give_back, road.keep, road.keep, road.give_back):
        assert again(held.lease)
    assert road.counts(sessions, session_id) == {"a": 1 if first == "keep" else 0}


def test_sessions_do_not_know_of_each_other(sessions: Sessions, session_id: str, road: Road) -> None:
    road.take(sessions, session_id, [("a", 1)])
    assert road.take(sessions, session_id + "'s other", [("a", 1)]).full is None


def test_a_session_nobody_knows_has_no_counts(sessions: Sessions, session_id: str, road: Road) -> None:
    assert road.counts(sessions, session_id) == {}


def test_a_forgotten_session_begins_again(sessions: Sessions, session_id: str) -> None:
    sessions.take(session_id, [("a", 1)])
    sessions.forget(session_id)
    assert sessions.counts(session_id) == {}
    asyncio.run(sessions.forget_async(session_id))
    assert sessions.take(session_id, [("a", 1)]) == Taken(counts=(1,))


@pytest.mark.parametrize("odd", ["", " ", "}", "a}b{", "{", "%7D", "a\nb", "ü", "\ud800", "x" * 2000, "a\0b"])
def test_names_may_be_anything(sessions: Sessions, session_id: str, odd: str) -> None:
    name = odd and odd + session_id
    sessions.forget(name)
    held = sessions.reserve(name, [(odd, None), (odd + " a", None)])
    assert held.lease is not None
    assert held.lease.keep()
    assert sessions.counts(name) == {odd: 1, odd + " a": 1}


def test_what_is_closed_counts_nothing(sessions: Sessions, session_id: str) -> None:
    held = sessions.reserve(session_id, [("a", 1)])
    sessions.close()
    sessions.close()
    for use in (sessions.take, sessions.reserve):
        with pytest.raises(BackendGone, match="were closed"):
            use(session_id, [("a", None)])
    with pytest.raises(BackendGone, match="were closed"):
        sessions.counts(session_id)
    with pytest.raises(BackendGone, match="were closed"):
        sessions.forget(session_id)
    assert held.lease is not None
    held.lease.give_back()


def test_closing_from_an_event_loop(sessions: Sessions, session_id: str) -> None:
    async def use() -> None:
        assert (await sessions.take_async(session_id, [("a", 1)])).full is None
        await sessions.close_async()
        with pytest.raises(BackendGone, match="were closed"):
            await sessions.take_async(session_id, [("a", None)])

    asyncio.run(use())


LIMIT = 25
ROUNDS = 40
WANTED = (("a", LIMIT), ("b", None))


class Tally:
    """What was seen by many at once: nobody may ever see more places taken than there are."""

    def __init__(self) -> None:
        self.kept = 0
        self.most = 0
        self._lock = threading.Lock()

    def see(self, reserved: Reserved, *, kept: bool) -> None:
        with self._lock:
            self.most = max(self.most, *reserved.taken.counts)
            self.kept += kept and reserved.lease is not None

    def holds(self, sessions: Sessions, session_id: str) -> bool:
        """Every place can be had, and not one more."""
        while (last := sessions.reserve(session_id, WANTED)).lease is not None:
            self.see(last, kept=True)
            last.lease.keep()
        return self.kept == self.most == LIMIT and sessions.counts(session_id) == {"a": LIMIT, "b": LIMIT}


def test_threads_never_exceed_a_limit(sessions: Sessions, session_id: str) -> None:
    tally = Tally()

    def work(worker: int) -> None:
        for turn in range(ROUNDS):
            kept = (turn + worker) % 3 == 0
            reserved = sessions.reserve(session_id, WANTED)
            tally.see(reserved, kept=kept)
            if reserved.lease is not None:
                assert reserved.lease.keep() if kept else reserved.lease.give_back()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert tally.holds(sessions, session_id)


def test_tasks_never_exceed_a_limit(sessions: Sessions, session_id: str) -> None:
    tally = Tally()

    async def work(worker: int) -> None:
        for turn in range(ROUNDS):
            kept = (turn + worker) % 3 == 0
            reserved = await sessions.reserve_async(session_id, WANTED)
            tally.see(reserved, kept=kept)
            await asyncio.sleep(0)
            if reserved.lease is not None:
                assert await (reserved.lease.keep_async() if kept else reserved.lease.give_back_async())

    async def all_at_once() -> None:
        await asyncio.gather(*map(work, range(50)))

    asyncio.run(all_at_once())
    assert tally.holds(sessions, session_id)


def test_ten_thousand_sessions_at_once(sessions: Sessions, session_id: str) -> None:
    async def call(number: int) -> bool:
        mine = f"{session_id}-{number}"
        await sessions.take_async(mine, [("attempts", 1)])
        first = await sessions.reserve_async(mine, [("calls", 1)])
        second = await sessions.reserve_async(mine, [("calls", 1)])
        assert first.lease is not None
        return await first.lease.keep_async() and second.taken.full == "calls"

    async def all_at_once() -> list[bool]:
        try:
            return await asyncio.gather(*map(call, range(10_000)))
        finally:
            await sessions.close_async()

    assert all(asyncio.run(all_at_once()))
