"""Sessions in memory against a model of them, over histories in which many calls are under way at once."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from bylaw.guard.sessions import Lease, MemorySessions, SessionsFull

IDS = st.sampled_from("pqrs")
LIMITS = st.none() | st.integers(0, 3)
WANTED = st.lists(
    st.tuples(st.sampled_from(["attempts", "calls", "calls:x"]), LIMITS), unique_by=lambda w: w[0], min_size=1
)
Wanted = list[tuple[str, int | None]]


class Held:
    """A lease, and the session it was taken in: another of the same name is another session."""

    def __init__(self, lease: Lease, counts: Counter[str], wanted: Wanted) -> None:
        self.lease = lease
        self.counts = counts
        self.wanted = wanted
        self.settled = False


class Histories(RuleBasedStateMachine):
    held = Bundle("held")

    @initialize(capacity=st.integers(1, 4))
    def begin(self, capacity: int) -> None:
        self.capacity = capacity
        self.sessions = MemorySessions(capacity=capacity)
        self.model: dict[str, Counter[str]] = {}

    def full(self, session_id: str, wanted: Wanted) -> str | None:
        counts = self.model.get(session_id, Counter())
        return next((name for name, limit in wanted if limit is not None and counts[name] >= limit), None)

    def no_room(self, session_id: str) -> bool:
        return session_id not in self.model and len(self.model) >= self.capacity

    def take_in_model(self, session_id: str, wanted: Wanted) -> tuple[int, ...]:
        counts = self.model.setdefault(session_id, Counter())
        if self.full(session_id, wanted) is None:
            counts.update(name for name, _ in wanted)
        return tuple(counts[name] for name, _ in wanted)

    @rule(session_id=IDS, wanted=WANTED)
    def take(self, session_id: str, wanted: Wanted) -> None:
        if self.no_room(session_id):
            with pytest.raises(SessionsFull):
                self.sessions.take(session_id, wanted)
            return
        full = self.full(session_id, wanted)
        taken = self.sessions.take(session_id, wanted)
        assert (taken.counts, taken.full) == (self.take_in_model(session_id, wanted), full)

    @rule(target=held, session_id=IDS, wanted=WANTED)
    def reserve(self, session_id: str, wanted: Wanted) -> object:
        if self.no_room(session_id):
            with pytest.raises(SessionsFull):
                self.sessions.reserve(session_id, wanted)
            return multiple()
        full = self.full(session_id, wanted)
        reserved = self.sessions.reserve(session_id, wanted)
        assert (reserved.taken.counts, reserved.taken.full) == (self.take_in_model(session_id, wanted), full)
        if reserved.lease is None:
            assert full is not None
            return multiple()
        assert full is None
        return Held(reserved.lease, self.model[session_id], wanted)

    @rule(one=held)
    def keep(self, one: Held) -> None:
        assert one.lease.keep()
        one.settled = True

    @rule(one=held)
    def give_back(self, one: Held) -> None:
        assert one.lease.give_back()
        if not one.settled:
            one.counts.subtract(name for name, _ in one.wanted)
        one.settled = True

    @rule(one=consumes(held))
    def drop(self, one: Held) -> None:
        """A lease that nobody settles holds its places."""

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        session_id = data.draw(st.sampled_from(sorted(self.model)))
        self.sessions.forget(session_id)
        del self.model[session_id]

    @invariant()
    def counts_agree(self) -> None:
        assert len(self.sessions) == len(self.model)
        for session_id in "pqrs":
            known = self.model.get(session_id, Counter())
            assert {name: count for name, count in self.sessions.counts(session_id).items() if count} == +known
            assert all(count >= 0 for count in known.values())


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)

Step = Literal["take", "keep", "give_back", "settle twice"]
PROGRAM = st.lists(st.sampled_from(["take", "keep", "give_back", "settle twice"]), max_size=30)


@settings(max_examples=60, deadline=None)
@given(programs=st.lists(PROGRAM, min_size=2, max_size=4), limit=st.integers(0, 20))
def test_threads_with_any_programs_never_exceed_a_limit(programs: list[list[Step]], limit: int) -> None:
    sessions = MemorySessions(capacity=1)
    begin = threading.Barrier(len(programs))
    stayed: Counter[int] = Counter()
    seen: list[int] = []

    def run(worker: int, program: list[Step]) -> None:
        begin.wait()
        for step in program:
            if step == "take":
                taken, lease = sessions.take("s", [("a", limit)]), None
            else:
                reserved = sessions.reserve("s", [("a", limit)])
                taken, lease = reserved.taken, reserved.lease
            seen.append(taken.counts[0])
            if taken.full is not None:
                assert lease is None
                continue
            if lease is not None and step != "keep":
                lease.give_back()
            if lease is not None and step != "give_back":
                lease.keep()
            stayed[worker] += step in ("take", "keep")

    threads = [threading.Thread(target=run, args=work) for work in enumerate(programs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(seen, default=0) <= limit
    assert sessions.counts("s").get("a", 0) == stayed.total() <= limit
