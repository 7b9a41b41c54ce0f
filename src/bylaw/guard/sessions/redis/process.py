"""What one process has for itself: connections, and the leases it holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from bylaw.guard.sessions.places import BackendGone
from bylaw.guard.sessions.redis.clients import Clients
from bylaw.guard.sessions.redis.connection import Connection
from bylaw.guard.sessions.redis.renewal import Renewal
from bylaw.guard.sessions.redis.scripts import GIVE_BACK, KEEP, Script, keys_of

_RENEWALS_IN_A_LEASE = 3


class Process:
    """Nothing of it is of use to a forked child, which gets one of its own."""

    def __init__(self, clients: Clients, *, prefix: str, ttl_s: float, lease_s: float, timeout_s: float) -> None:
        self.pid = os.getpid()
        self.connection = Connection(clients, timeout_s=timeout_s)
        self.renewal = Renewal(self.run, every_s=lease_s / _RENEWALS_IN_A_LEASE)
        self._prefix = prefix
        self._times = (round(ttl_s * 1000), round(lease_s * 1000))

    def run(self, script: Script, session_id: str, arguments: Sequence[str | int] = ()) -> Any:
        return self.connection.run(script, keys_of(session_id, prefix=self._prefix), *self._times, *arguments)

    async def run_async(self, script: Script, session_id: str, arguments: Sequence[str | int] = ()) -> Any:
        keys = keys_of(session_id, prefix=self._prefix)
        return await self.connection.run_async(script, keys, *self._times, *arguments)


class RedisLease:
    """Places on the server. Only the process that took them can settle them."""

    __slots__ = ("__weakref__", "_known", "_process", "place", "session_id")

    def __init__(self, process: Process, session_id: str, place: str) -> None:
        self.session_id = session_id
        self.place = place
        self._process = process
        self._known = False
        process.renewal.hold(self)

    def keep(self) -> bool:
        if self._release(executed=True):
            try:
                self._process.run(KEEP, self.session_id, [self.place])
            except BackendGone:
                self._process.renewal.hurry()
            else:
                self._settled()
        return self._known

    def give_back(self) -> bool:
        if self._release(executed=False):
            try:
                self._process.run(GIVE_BACK, self.session_id, [self.place])
            except BackendGone:
                return False  # the place comes back when the lease runs out
            self._settled()
        return self._known

    async def keep_async(self) -> bool:
        if self._release(executed=True):
            try:
                await self._process.run_async(KEEP, self.session_id, [self.place])
            except BackendGone:
                self._process.renewal.hurry()
            else:
                self._settled()
        return self._known

    async def give_back_async(self) -> bool:
        if self._release(executed=False):
            try:
                await self._process.run_async(GIVE_BACK, self.session_id, [self.place])
            except BackendGone:
                return False  # the place comes back when the lease runs out
            self._settled()
        return self._known

    def _release(self, *, executed: bool) -> bool:
        return self._process.pid == os.getpid() and self._process.renewal.release(self, executed=executed)

    def _settled(self) -> None:
        self._process.renewal.paid(self.place)
        self._known = True
