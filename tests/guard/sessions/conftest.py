from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bylaw.guard.sessions import MemorySessions, Sessions
from bylaw.guard.sessions.redis import RedisSessions

from .servers import RedisServer

Opening = Callable[..., RedisSessions]


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of the test's own that is not started yet."""
    own = RedisServer(tmp_path)
    yield own
    own.kill()


@pytest.fixture
def durable_server(tmp_path: Path) -> Iterator[RedisServer]:
    own = RedisServer(tmp_path, durable=True)
    yield own
    own.kill()


@pytest.fixture
def session_id() -> str:
    return f"session-{uuid.uuid4()}"


@pytest.fixture
def opened() -> Iterator[Opening]:
    """Opens sessions on a server and closes them at the end."""
    every: list[RedisSessions] = []

    def open_on(server: RedisServer, **settings: Any) -> RedisSessions:
        sessions = RedisSessions(server.url, **{"ttl_s": 600.0, "timeout_s": 10.0, **settings})
        every.append(sessions)
        return sessions

    yield open_on
    for sessions in every:
        sessions.close()


@pytest.fixture(params=["memory", "redis"])
def sessions(request: pytest.FixtureRequest) -> Sessions:
    """What every keeper of sessions must do the same way."""
    if request.param == "memory":
        return MemorySessions()
    open_on: Opening = request.getfixturevalue("opened")
    return open_on(request.getfixturevalue("shared_server"))
