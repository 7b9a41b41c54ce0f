"""Running scripts on the server, from threads and from event loops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from redis.exceptions import NoScriptError, RedisError

from bylaw.guard.sessions.places import BackendGone
from bylaw.guard.sessions.redis.clients import CONNECTIONS, Clients
from bylaw.guard.sessions.redis.patience import Patience
from bylaw.guard.sessions.redis.scripts import Script


class Connection:
    """The way to the server of one process. What broke is made again with the next script."""

    def __init__(self, clients: Clients, *, timeout_s: float) -> None:
        self._clients = clients
        self._timeout_s = timeout_s
        self._client = clients.connect()
        self._closed = False
        self._loops: dict[asyncio.AbstractEventLoop, _Loop] = {}

    def run(self, script: Script, keys: tuple[str, ...], *arguments: str | int) -> Any:
        self._raise_if_closed()
        try:
            try:
                return self._client.evalsha(script.sha, len(keys), *keys, *arguments)
            except NoScriptError:
                return self._client.eval(script.source, len(keys), *keys, *arguments)
        except (RedisError, OSError) as error:
            raise self._clients.gone(error) from error

    async def run_async(self, script: Script, keys: tuple[str, ...], *arguments: str | int) -> Any:
        self._raise_if_closed()
        return await (await self._loop()).run(script, keys, *arguments)

    def close(self) -> None:
        """The clients of event loops are left to `close_async` and to their loops."""
        self._closed = True
        self._client.close()

    async def close_async(self) -> None:
        kept = self._loops.get(asyncio.get_running_loop())
        if kept is not None:
            await kept.life.aclose()

    def _raise_if_closed(self) -> None:
        if self._closed:
            raise BackendGone("the session counters were closed")

    async def _loop(self) -> _Loop:
        loop = asyncio.get_running_loop()
        kept = self._loops.get(loop)
        if kept is None:
            for dead in [other for other in tuple(self._loops) if other.is_closed()]:
                self._loops.pop(dead, None)
            kept = self._loops[loop] = _Loop(self._clients, timeout_s=self._timeout_s)
            kept.life = self._until_the_loop_ends(loop, kept)
            await anext(kept.life)
        return kept

    async def _until_the_loop_ends(self, loop: asyncio.AbstractEventLoop, kept: _Loop) -> AsyncGenerator[None, None]:
        """A loop that is shut down closes its generators last, and this one then closes the connections."""
        try:
            yield
        finally:
            self._loops.pop(loop, None)
            await kept.client.aclose()


class _Loop:
    """What one event loop has for itself."""

    life: AsyncGenerator[None, None]

    def __init__(self, clients: Clients, *, timeout_s: float) -> None:
        self.client = clients.connect_async()
        self._clients = clients
        self._timeout_s = timeout_s
        self._turns = asyncio.Semaphore(CONNECTIONS)
        self._silences = 0

    async def run(self, script: Script, keys: tuple[str, ...], *arguments: str | int) -> Any:
        """Who waits behind a call that got no answer does not wait for a silence of its own."""
        before = self._silences
        async with self._turns:
            if self._silences != before:
                raise BackendGone(f"Redis at `{self._clients.name}` did not answer the calls before this one")
            try:
                async with Patience(self._timeout_s):
                    try:
                        return await self.client.evalsha(script.sha, len(keys), *keys, *arguments)
                    except NoScriptError:
                        return await self.client.eval(script.source, len(keys), *keys, *arguments)
            except (RedisError, OSError) as error:
                self._silences += isinstance(error, TimeoutError)
                raise self._clients.gone(error) from error
