"""A client with somebody looking at the answers that pass through it."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar, cast

from bylaw.responses.answers import Asked, sent
from bylaw.responses.proxy import Proxy
from bylaw.responses.roads import Kind, roads_of, unseen
from bylaw.responses.streams import AsyncManager, AsyncStream, Manager, Stream

Client = TypeVar("Client")


class Watch(Protocol):
    """`early` wants a stream's answer before its last piece is handed out, others when all of it has been."""

    @property
    def early(self) -> bool: ...

    def asked(self, keywords: Mapping[str, Any], /) -> Asked: ...

    def answered(self, asked: Asked, answer: Any, /) -> None:
        """Whatever this raises, the application gets in place of the answer."""

    def spoiled(self, asked: Asked, why: str, /) -> None:
        """An answer that was looked at as a whole turns out to be none; only early ones hear of it."""

    def unseen(self, road: str, /) -> None:
        """An answer is about to come by a road on which it can't be looked at."""


def watched(client: Client, watch: Watch) -> Client:
    """The client itself is left as it is; what is returned behaves as it does, attribute by attribute."""
    return cast("Client", WatchedClient(client, watch, roads_of(client)))


class WatchedClient(Proxy):
    """A client, or one of the resources on the way to an answer."""

    def __init__(self, inner: Any, watch: Watch, roads: Mapping[str, Kind], path: str = "") -> None:
        super().__init__(inner, _watch=watch, _roads=roads, _path=path)

    def __getattr__(self, name: str) -> Any:
        own = self._own
        watch, roads = own["_watch"], own["_roads"]
        path = f"{own['_path']}.{name}".lstrip(".")
        value = getattr(self._inner, name)
        if path in roads:
            return _method(value, watch, path, roads[path])
        if any(road.startswith(f"{path}.") for road in roads):
            return WatchedClient(value, watch, roads, path)
        if path in ("with_options", "copy", "with_middleware"):
            return lambda *args, **keywords: WatchedClient(value(*args, **keywords), watch, roads)
        if unseen(path, value):
            watch.unseen(path)
        return value

    def __copy__(self) -> Any:
        own = self._own
        return WatchedClient(copy.copy(self._inner), own["_watch"], own["_roads"], own["_path"])

    def __enter__(self) -> Any:
        self._inner.__enter__()
        return self

    def __exit__(self, *ended: Any) -> Any:
        return self._inner.__exit__(*ended)

    async def __aenter__(self) -> Any:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *ended: Any) -> Any:
        return await self._inner.__aexit__(*ended)


def _method(method: Callable[..., Any], watch: Watch, road: str, kind: Kind) -> Callable[..., Any]:
    @functools.wraps(method)
    def ask(*args: Any, **keywords: Any) -> Any:
        asked = watch.asked(keywords)
        if kind == "raw" and sent(keywords).get("stream"):
            watch.unseen(f"{road}(stream=True)")
            return method(*args, **keywords)
        given = method(*args, **keywords)
        if kind == "manager":
            is_async = hasattr(type(given), "__aenter__")
            return AsyncManager(given, watch, asked) if is_async else Manager(given, watch, asked)
        if inspect.isawaitable(given):
            return _awaited(given, watch, asked, kind)
        return _seen(given, watch, asked, kind)

    return ask


async def _awaited(given: Awaitable[Any], watch: Watch, asked: Asked, kind: Kind) -> Any:
    return _seen(await given, watch, asked, kind)


def _seen(given: Any, watch: Watch, asked: Asked, kind: Kind) -> Any:
    if hasattr(type(given), "__next__"):
        return Stream(given, watch, asked)
    if hasattr(type(given), "__anext__"):
        return AsyncStream(given, watch, asked)
    watch.answered(asked, given.parse() if kind == "raw" else given)
    return given
