"""Sessions counted in this process."""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock

from bylaw.guard.sessions.forks import fork_safe_lock
from bylaw.guard.sessions.places import BackendGone, Reserved, SessionsFull, Wanted
from bylaw.policy.ledger import Taken


class MemorySessions:
    """Counters behind one lock that is never held for longer than a few additions.

    A session stays until it is forgotten. When there are `capacity` of them, a new one is refused.
    A forked process goes on with a copy of its own.
    """

    def __init__(self, *, capacity: int = 10_000) -> None:
        if capacity < 1:
            raise ValueError(f"`capacity` must be at least 1, not {capacity}")
        self._capacity = capacity
        self._closed = False
        self._sessions: dict[str, dict[str, int]] = {}
        self._names: dict[str, str] = {}
        self._lock = fork_safe_lock()

    def take(self, session_id: str, wanted: Wanted, /) -> Taken:
        with self._lock:
            return self._take(self._sessions.get(session_id) or self._begin(session_id), wanted)

    def reserve(self, session_id: str, wanted: Wanted, /) -> Reserved:
        with self._lock:
            counters = self._sessions.get(session_id) or self._begin(session_id)
            taken = self._take(counters, wanted)
        if taken.full is not None:
            return Reserved(taken=taken)
        return Reserved(taken=taken, lease=_Held(self._lock, counters, tuple(wanted)))

    def counts(self, session_id: str, /) -> Mapping[str, int]:
        with self._lock:
            self._raise_if_closed()
            return dict(self._sessions.get(session_id, ()))

    def forget(self, session_id: str, /) -> None:
        with self._lock:
            self._raise_if_closed()
            self._sessions.pop(session_id, None)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._sessions.clear()

    async def take_async(self, session_id: str, wanted: Wanted, /) -> Taken:
        return self.take(session_id, wanted)

    async def reserve_async(self, session_id: str, wanted: Wanted, /) -> Reserved:
        return self.reserve(session_id, wanted)

    async def counts_async(self, session_id: str, /) -> Mapping[str, int]:
        return self.counts(session_id)

    async def forget_async(self, session_id: str, /) -> None:
        self.forget(session_id)

    async def close_async(self) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._sessions)

    def _begin(self, session_id: str) -> dict[str, int]:
        counters = self._sessions.get(session_id)
        if counters is None:
            self._raise_if_closed()
            if len(self._sessions) >= self._capacity:
                raise SessionsFull(
                    f"there is no room for session `{session_id}`: all {self._capacity} are taken;"
                    " forget the sessions that have ended, or allow more"
                )
            counters = self._sessions[session_id] = {}
        return counters

    def _take(self, counters: dict[str, int], wanted: Wanted) -> Taken:
        counts = []
        for counter, limit in wanted:
            count = counters.get(counter, 0)
            if limit is not None and count >= limit:
                return Taken(counts=tuple([counters.get(counter, 0) for counter, _ in wanted]), full=counter)
            counts.append(count + 1)
        for counter, _ in wanted:
            if counter not in counters:
                # One string for a counter's name, however many sessions have it.
                counters[self._names.setdefault(counter, counter)] = 0
            counters[counter] += 1
        return Taken(counts=tuple(counts))

    def _raise_if_closed(self) -> None:
        if self._closed:
            raise BackendGone("the session counters were closed")


class _Held:
    """Places in one session's counters; without counters once it is settled."""

    __slots__ = ("_counters", "_lock", "_wanted")

    def __init__(self, lock: RLock, counters: dict[str, int], wanted: Wanted) -> None:
        self._lock = lock
        self._counters: dict[str, int] | None = counters
        self._wanted = wanted

    def keep(self) -> bool:
        with self._lock:
            self._counters = None
        return True

    def give_back(self) -> bool:
        with self._lock:
            counters, self._counters = self._counters, None
            if counters is not None:
                for counter, _ in self._wanted:
                    counters[counter] -= 1
        return True

    async def keep_async(self) -> bool:
        return self.keep()

    async def give_back_async(self) -> bool:
        return self.give_back()
