"""Sessions counted in Redis."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any

from bylaw.guard.sessions.forks import fork_safe_lock
from bylaw.guard.sessions.places import Reserved, Wanted
from bylaw.guard.sessions.redis.clients import Clients, clients_at
from bylaw.guard.sessions.redis.process import Process, RedisLease
from bylaw.guard.sessions.redis.scripts import COUNTS, FORGET, TAKE, new_place, quoted, unquoted
from bylaw.policy.ledger import Taken


class RedisSessions:
    """Counters that many processes share, on one server or a cluster.

    A session that nobody uses for `ttl_s` is forgotten. A place that is held comes back `lease_s` after its process
    was last heard of; a process that is heard of again counts as holding it all the same. A call that was executed
    while the server was away is counted once the server is back, unless the process ends before.
    Counts last as long as the server's memory: one that restarts empty, or evicts, has forgotten its sessions.
    """

    def __init__(
        self,
        server: str | Clients,
        *,
        ttl_s: float,
        prefix: str = "bylaw",
        lease_s: float = 30.0,
        timeout_s: float = 0.25,
    ) -> None:
        """`server` is an address such as `redis://localhost:6379/0`, or how to make clients of your own."""
        if not 0 < lease_s <= ttl_s:
            raise ValueError(f"`lease_s` must be above 0 and at most `ttl_s`, which is {ttl_s}; it is {lease_s}")
        if not prefix or not prefix.isprintable() or any(char in prefix for char in "{} "):
            raise ValueError(f"`prefix` must be a word without blanks and braces; it is `{prefix}`")
        self._clients = clients_at(server, timeout_s=timeout_s) if isinstance(server, str) else server
        self._settings = {"ttl_s": ttl_s, "lease_s": lease_s, "timeout_s": timeout_s}
        self._prefix = prefix
        self._lock = fork_safe_lock()
        self._own = self._begin()

    @property
    def owed(self) -> int:
        """Calls that this process executed, and that the server could not be told of yet."""
        return self._process().renewal.owed

    def take(self, session_id: str, wanted: Wanted, /) -> Taken:
        return _taken(wanted, self._process().run(TAKE, session_id, _taking("", wanted)))

    def reserve(self, session_id: str, wanted: Wanted, /) -> Reserved:
        process, place = self._process(), _place_in(wanted)
        reply = process.run(TAKE, session_id, _taking(place, wanted))
        return _reserved(process, session_id, place, _taken(wanted, reply))

    def counts(self, session_id: str, /) -> Mapping[str, int]:
        return _counts(self._process().run(COUNTS, session_id))

    def forget(self, session_id: str, /) -> None:
        self._process().run(FORGET, session_id)

    def close(self) -> None:
        """Clients of event loops are closed by `close_async`, or when their loop is shut down."""
        own = self._process()
        own.renewal.close()
        own.connection.close()

    async def take_async(self, session_id: str, wanted: Wanted, /) -> Taken:
        return _taken(wanted, await self._process().run_async(TAKE, session_id, _taking("", wanted)))

    async def reserve_async(self, session_id: str, wanted: Wanted, /) -> Reserved:
        process, place = self._process(), _place_in(wanted)
        reply = await process.run_async(TAKE, session_id, _taking(place, wanted))
        return _reserved(process, session_id, place, _taken(wanted, reply))

    async def counts_async(self, session_id: str, /) -> Mapping[str, int]:
        return _counts(await self._process().run_async(COUNTS, session_id))

    async def forget_async(self, session_id: str, /) -> None:
        await self._process().run_async(FORGET, session_id)

    async def close_async(self) -> None:
        await asyncio.to_thread(self.close)
        await self._own.connection.close_async()

    def _begin(self) -> Process:
        return Process(self._clients, prefix=self._prefix, **self._settings)

    def _process(self) -> Process:
        if self._own.pid != os.getpid():
            with self._lock:
                if self._own.pid != os.getpid():
                    self._own = self._begin()
        return self._own


def _place_in(wanted: Wanted) -> str:
    return new_place([counter for counter, _ in wanted])


def _taking(place: str, wanted: Wanted) -> list[str | int]:
    arguments: list[str | int] = [place]
    for counter, limit in wanted:
        arguments += (quoted(counter), "" if limit is None else limit)
    return arguments


def _taken(wanted: Wanted, reply: Sequence[int]) -> Taken:
    full, *counts = reply
    return Taken(counts=tuple(counts), full=wanted[full - 1][0] if full else None)


def _reserved(process: Process, session_id: str, place: str, taken: Taken) -> Reserved:
    if taken.full is not None:
        return Reserved(taken=taken)
    return Reserved(taken=taken, lease=RedisLease(process, session_id, place))


def _counts(reply: Sequence[Any]) -> dict[str, int]:
    words = [word.decode() if isinstance(word, bytes) else word for word in reply]
    return {unquoted(counter): int(count) for counter, count in zip(words[::2], words[1::2], strict=True)}
