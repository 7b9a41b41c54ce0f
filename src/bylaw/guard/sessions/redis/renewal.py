"""Keeping a process's leases alive, and its word."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from typing import Any, Protocol
from weakref import WeakValueDictionary

from bylaw.guard.sessions.places import BackendGone
from bylaw.guard.sessions.redis.clients import Refused
from bylaw.guard.sessions.redis.scripts import KEEP, RENEW, Script

_TRY_AGAIN_S = 0.5


class Held(Protocol):
    """A lease, as far as renewing it goes."""

    session_id: str
    place: str


Tell = Callable[[Script, str, Sequence[str]], Any]
"""Has the server run a script on some places of a session."""


class Renewal:
    """One thread for all leases of a process: an event loop that a tool blocks could not renew them.

    It holds no lease by itself: one that is dropped unsettled is renewed no longer. It ends when there is nothing
    to do, and begins again with the next lease.
    """

    def __init__(self, tell: Tell, *, every_s: float) -> None:
        self._tell = tell
        self._every_s = every_s
        self._try_again_s = min(every_s, _TRY_AGAIN_S)
        self._changed = Condition()
        self._leases: WeakValueDictionary[str, Held] = WeakValueDictionary()
        self._executed: dict[str, str] = {}
        self._behind = False
        self._closed = False
        self._thread: Thread | None = None

    @property
    def owed(self) -> int:
        """Calls that were executed, and of which the server does not know yet."""
        return len(self._executed)

    def hold(self, lease: Held) -> None:
        with self._changed:
            self._leases[lease.place] = lease
            if self._thread is None and not self._closed:
                self._thread = Thread(target=self._work, name="bylaw-leases", daemon=True)
                self._thread.start()

    def release(self, lease: Held, *, executed: bool) -> bool:
        """Whether the lease was held until now. One that was executed is owed to the server from here on."""
        with self._changed:
            if self._leases.pop(lease.place, None) is None:
                return False
            if executed:
                self._executed[lease.place] = lease.session_id
            return True

    def paid(self, place: str) -> None:
        with self._changed:
            self._executed.pop(place, None)

    def hurry(self) -> None:
        """The server could not be told: it is tried again sooner than leases are renewed."""
        with self._changed:
            self._behind = True
            self._changed.notify()

    def close(self) -> None:
        """Ends the thread, and tells the server once more what is owed to it."""
        with self._changed:
            self._closed = True
            thread = self._thread
            self._changed.notify()
        if thread is not None:
            thread.join()
        self._told_all()

    def _work(self) -> None:
        try:
            while self._wait():
                self._behind = not self._told_all()
        except BaseException:
            with self._changed:
                self._thread = None
            raise

    def _wait(self) -> bool:
        """Until it is time for a round; False when nothing is left to do, and the thread is then no longer there."""
        began = time.monotonic()
        with self._changed:
            while not self._closed:
                left = began + (self._try_again_s if self._behind else self._every_s) - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            if self._closed or not (self._leases or self._executed):
                self._thread = None
                return False
            return True

    def _told_all(self) -> bool:
        """A session that the server refuses does not hold up the others; a server that is gone ends the round."""
        with self._changed:
            executed = list(self._executed.items())
            held = defaultdict(list)
            for lease in () if self._closed else list(self._leases.values()):
                held[lease.session_id].append(lease.place)
        try:
            renewed = [self._told(RENEW, session_id, places) for session_id, places in held.items()]
            kept = [self._told(KEEP, session_id, [place]) for place, session_id in executed]
        except BackendGone:
            return False
        for (place, _), told in zip(executed, kept, strict=True):
            if told:
                self.paid(place)
        return all(renewed) and all(kept)

    def _told(self, script: Script, session_id: str, places: Sequence[str]) -> bool:
        try:
            self._tell(script, session_id, places)
        except Refused:
            return False
        return True
