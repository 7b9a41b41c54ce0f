"""What a keeper of sessions offers, whatever keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from bylaw.errors import BylawError
from bylaw.policy.ledger import Taken

Wanted = Sequence[tuple[str, int | None]]
"""Counters, each with its limit; None is no limit."""


class NotCounted(BylawError):
    """A session's counters could not be changed or read: whatever rests on them must not happen."""


class SessionsFull(NotCounted):
    """There is no room for another session, and dropping an old one would reset its limits."""


class BackendGone(NotCounted):
    """What keeps the counters can't be reached, refuses, or was closed."""


class Lease(Protocol):
    """Places held while a tool runs. The first of `keep` and `give_back` counts; what comes after it changes nothing.

    Neither raises when the keeper of the counters is gone: they answer whether it knows by now. A call to be kept is
    then told again until it is known; a place to be given back comes back when the lease runs out.
    """

    def keep(self) -> bool:
        """The tool did its work: the places stay taken for good."""
        ...

    def give_back(self) -> bool:
        """The tool failed: the places are free again."""
        ...

    async def keep_async(self) -> bool: ...

    async def give_back_async(self) -> bool: ...


class Reserved(msgspec.Struct, frozen=True, kw_only=True):
    """What reserving came to. There is a lease unless a counter was full."""

    taken: Taken
    lease: Lease | None = None


class Sessions(Protocol):
    """The counters of many sessions. A count is what was kept and what is held at the moment.

    Everything but settling a lease raises `NotCounted` where it can't be done. The twins in `_async` do the same
    without blocking the event loop.
    """

    def take(self, session_id: str, wanted: Wanted, /) -> Taken:
        """Adds one to every counter for good, or to none if one of them is at its limit."""
        ...

    def reserve(self, session_id: str, wanted: Wanted, /) -> Reserved:
        """As `take`, but what was added is held by a lease that must be settled."""
        ...

    def counts(self, session_id: str, /) -> Mapping[str, int]:
        """Every counter that was ever taken from; a session that nobody knows has none."""
        ...

    def forget(self, session_id: str, /) -> None:
        """Drops a session that has ended; its calls must have ended too."""
        ...

    def close(self) -> None:
        """Nothing is counted after it. The calls must have ended."""
        ...

    async def take_async(self, session_id: str, wanted: Wanted, /) -> Taken: ...

    async def reserve_async(self, session_id: str, wanted: Wanted, /) -> Reserved: ...

    async def counts_async(self, session_id: str, /) -> Mapping[str, int]: ...

    async def forget_async(self, session_id: str, /) -> None: ...

    async def close_async(self) -> None: ...
