"""HTTP for a scripted model: an ASGI application, and the thread that serves it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from bylaw.errors import ConfigError
from bylaw.testing.answering import LARGEST_BODY, Incoming, answer
from bylaw.testing.desk import Desk
from bylaw.testing.replies import Reply

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class _Connection(H11Protocol):
    """Lets the application close its connection, which ASGI has no word for."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in its parent
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class Application:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        body = await _body(receive)
        incoming = Incoming(
            method=scope["method"],
            path=scope["path"],
            query=_text(scope["query_string"]),
            headers={_text(name).lower(): _text(value) for name, value in scope["headers"]},
            body=body,
        )
        reply = answer(self._desk, incoming)
        if reply.delay_ms and await _gone_within(reply.delay_ms / 1000, receive):
            return
        if reply.ends != "unsent":
            await _send(reply, send)
        if reply.ends != "whole":
            scope["state"]["transport"].close()
            await _gone(receive)


def _text(raw: bytes) -> str:
    return raw.decode("latin-1")


async def _body(receive: _Receive) -> bytes | None:
    """All of it is taken in, so that the answer is read, and none of it is kept once it is too much."""
    body = bytearray()
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            body.clear()
        else:
            body += message.get("body", b"")
        if not message.get("more_body", False):
            return None if size > LARGEST_BODY else bytes(body)


async def _send(reply: Reply, send: _Send) -> None:
    headers = {"content-type": reply.media, **reply.headers}
    if reply.length is not None:
        headers["content-length"] = str(reply.length)
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": encoded})
    for piece in reply.pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(0)
    if reply.ends == "whole":
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: _Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


async def _gone_within(seconds: float, receive: _Receive) -> bool:
    try:
        await asyncio.wait_for(_gone(receive), seconds)
    except TimeoutError:
        return False
    return True


class Serving:
    """A thread that answers on a socket, from `start` until `stop`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    def start(self, host: str, port: int) -> tuple[str, int]:
        """The address it listens on; with port 0 the system chooses one."""
        listening = _listen(host, port)
        self._thread = threading.Thread(target=self._run, args=(listening,), name="scripted-model", daemon=True)
        self._thread.start()
        self._ready.wait()
        address = listening.getsockname()
        return str(address[0]), int(address[1])

    def stop(self) -> None:
        assert self._thread is not None
        assert self._loop is not None
        assert self._ending is not None
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    def _run(self, listening: socket.socket) -> None:
        asyncio.run(self._serve(listening))

    async def _serve(self, listening: socket.socket) -> None:
        """Connections are closed before the tasks behind them are awaited: a delay ends when nobody waits for it."""
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        config = uvicorn.Config(
            Application(self._desk), http="h11", ws="none", lifespan="off", log_config=None, access_log=False
        )
        config.load()
        state = ServerState()
        connection = partial(_Connection, config=config, server_state=state, app_state={})
        server = await self._loop.create_server(connection, sock=listening)
        self._ready.set()
        await self._ending.wait()
        server.close()
        for open_connection in list(state.connections):
            open_connection.transport.abort()
        await asyncio.gather(*state.tasks)
        await server.wait_closed()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise ConfigError(f"can't listen on {host}:{port}: {error}") from error
