"""One call's view of its session, as deciding wants it."""

from __future__ import annotations

from collections.abc import Sequence

from bylaw.guard.sessions.places import Lease, Sessions
from bylaw.policy.ledger import Taken
from bylaw.policy.rules import ATTEMPTS


class SessionLedger:
    """A ledger for one call: attempts are taken for good, everything else is held by `lease` until it is settled."""

    def __init__(self, sessions: Sessions, session_id: str) -> None:
        self.lease: Lease | None = None
        self._sessions = sessions
        self._session_id = session_id

    def take(self, wanted: Sequence[tuple[str, int | None]], /) -> Taken:
        if all(counter == ATTEMPTS for counter, _ in wanted):
            return self._sessions.take(self._session_id, wanted)
        reserved = self._sessions.reserve(self._session_id, wanted)
        self.lease = reserved.lease
        return reserved.taken

    def give_back(self, counters: Sequence[str], /) -> None:
        """All that the call holds: its places come back together. Attempts stay counted."""
        if self.lease is not None and any(counter != ATTEMPTS for counter in counters):
            self.lease.give_back()
