"""The line to a model: one client for a whole run, and no more requests on it at once than it has slots."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec

from bylaw.errors import Misuse
from bylaw.models.asking import Answered, Failed, Timing, ask
from bylaw.models.keys import find_key, hiding, taking_out
from bylaw.models.patience import Patience
from bylaw.models.provider import Connection
from bylaw.models.providers import find_provider
from bylaw.wire import Request, Response

SLOTS = 4


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Which model of which provider. `model` wins over what a request names; empty leaves it to the request.

    `key_variables` name the environment variables that are looked at before the provider's own. The key itself is no
    part of this value, so that it can be shown.
    """

    provider: str
    model: str = ""
    base_url: str | None = None
    key_variables: tuple[str, ...] = ()
    stream: bool = False
    slots: int = SLOTS


class Line:
    """Shared by everybody who asks this model; the client lives while somebody has the line open."""

    def __init__(self, model: Model, *, environment: Mapping[str, str] | None = None) -> None:
        self.model = model
        self._provider = find_provider(model.provider)
        self._environment = os.environ if environment is None else environment
        self._connection: Connection | None = None
        self._hide: Callable[[str], str] = str
        self._clean: Callable[[Any], Any] = _as_it_is
        self._gate = asyncio.Semaphore(model.slots)
        self._users = 0

    def __repr__(self) -> str:
        return f"Line({self.model})"

    def prepare(self) -> None:
        """Raises `Misuse` for everything that is wrong before anything is sent: address, key, missing client."""
        if self._connection is None:
            _check_address(self.model.base_url)
            provider = self._provider
            variables = (*self.model.key_variables, *provider.key_variables)
            key = find_key(variables, self._environment, keyless=provider.keyless, provider=provider.name)
            self._connection = provider.connect(key=key, base_url=self.model.base_url)
            self._hide = hiding(key)
            self._clean = taking_out(key)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Line]:
        self.prepare()
        if not self._users:
            self._gate = asyncio.Semaphore(self.model.slots)
        self._users += 1
        try:
            yield self
        finally:
            self._users -= 1
            connection = self._connection
            if not self._users and connection is not None:
                self._connection = None
                await connection.close()

    async def ask(
        self, request: Request, *, patience: Patience | None = None, timing: Timing | None = None
    ) -> Answered | Failed:
        """Waiting for a slot is nobody's fault: the time limit begins when there is one.

        An answer that has this line's key in it, as a server's echo would, is handed out without it.
        """
        if self._connection is None:
            raise RuntimeError("the line is not open")
        if self.model.model:
            request = msgspec.structs.replace(request, model=self.model.model)
        async with self._gate:
            result = await ask(
                self._connection,
                request,
                codec=self._provider.codec,
                patience=patience or Patience(),
                stream=self.model.stream,
                timing=timing,
                hide=self._hide,
            )
        return self._without_key(result) if isinstance(result, Answered) else result

    def _without_key(self, answered: Answered) -> Answered | Failed:
        try:
            raw, told = self._clean(answered.raw), msgspec.to_builtins(answered.response)
            response = self._clean(told)
        except RecursionError:
            said = "invalid_response: the answer is nested too deeply to be looked through"
            return Failed(kind="invalid_response", message=said, ms=answered.ms, attempts=answered.attempts)
        if raw is answered.raw and response is told:
            return answered
        return msgspec.structs.replace(answered, raw=raw, response=msgspec.convert(response, Response))

    def hide(self, text: str) -> str:
        """A text without this line's key and without what looks like a secret."""
        return self._hide(text)


def _as_it_is(data: Any) -> Any:
    return data


def _check_address(base_url: str | None) -> None:
    if base_url is None:
        return
    try:
        found = urlsplit(base_url)
        good = found.scheme in ("http", "https") and bool(found.hostname)
        secret = found.password or found.username
    except ValueError:
        good, secret = False, None
    if secret:
        raise Misuse("`base_url` holds a password; keys come from the environment only")
    if not good:
        raise Misuse(f"`base_url` is no address of a server: `{base_url}` (it begins with `http://` or `https://`)")
