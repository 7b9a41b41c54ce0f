"""How a server is reached, and what it is called when it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec

from bylaw.guard.sessions.places import BackendGone

try:
    import redis
    import redis.asyncio
    from redis.backoff import NoBackoff
    from redis.exceptions import ResponseError
except ImportError as error:
    raise ImportError("counting sessions in Redis needs the extra `redis`: pip install 'bylaw[redis]'") from error

CONNECTIONS = 32
"""Of one process for its threads, and of each event loop for its tasks; whoever comes later waits for a turn."""

_WAIT_FOR_A_TURN_S = 5.0


class Refused(BackendGone):
    """The server is there, and would not do it."""


class Clients(msgspec.Struct, frozen=True, kw_only=True):
    """Clients of the `redis` package, of whatever kind: how to make one for threads, and one for an event loop.

    `name` is what errors call the server. A client for threads must by itself give up in time.
    """

    name: str
    connect: Callable[[], Any]
    connect_async: Callable[[], Any]

    def gone(self, error: Exception) -> BackendGone:
        if isinstance(error, ResponseError):
            return Refused(f"Redis at `{self.name}` would not count this session: {error}")
        said = str(error) or "it does not answer"
        return BackendGone(f"the session counters in Redis at `{self.name}` can't be reached: {said}")


def clients_at(url: str, *, timeout_s: float) -> Clients:
    """Clients that try once: behind an answer that never came may be a place that was taken."""

    def connect() -> redis.Redis:
        pool = redis.BlockingConnectionPool.from_url(
            url,
            retry=redis.retry.Retry(NoBackoff(), 0),
            max_connections=CONNECTIONS,
            timeout=_WAIT_FOR_A_TURN_S,
            socket_timeout=timeout_s,
            socket_connect_timeout=timeout_s,
        )
        return redis.Redis.from_pool(pool)

    def connect_async() -> redis.asyncio.Redis:
        pool = redis.asyncio.ConnectionPool.from_url(
            url,
            retry=redis.asyncio.retry.Retry(NoBackoff(), 0),
            max_connections=CONNECTIONS,
            socket_timeout=None,
            socket_connect_timeout=None,
        )
        return redis.asyncio.Redis.from_pool(pool)

    connect()  # an address that can't be one is told here, and not by the first call
    parts = urlsplit(url)
    return Clients(name=parts.netloc.rpartition("@")[2] + parts.path, connect=connect, connect_async=connect_async)
