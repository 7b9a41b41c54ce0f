"""What a provider is to the rest: a name, a codec, and a way to send a request."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from bylaw.errors import Misuse
from bylaw.wire import Codec, Failure, Request

Body = bytes | list[dict[str, Any]]
"""What came, as it came: the text of an answer or of a stream's events, or those events where a client reads them."""


class AttemptFailed(Exception):
    """One attempt came to nothing; `failure` says how."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(str(failure))


class Connection(Protocol):
    """A client of a provider, ready to be asked; its own retries are off."""

    async def send(self, request: Request, /, *, stream: bool, seconds: float) -> Body:
        """The answer's body. Raises `AttemptFailed`, or whatever the client raises on an answer it can't read."""
        ...

    async def close(self) -> None: ...


class Provider(Protocol):
    """`key_variables` name the environment variables its key may stand in; `keyless` ones can do without."""

    @property
    def name(self) -> str: ...
    @property
    def codec(self) -> Codec: ...
    @property
    def key_variables(self) -> tuple[str, ...]: ...
    @property
    def keyless(self) -> bool: ...

    def connect(self, *, key: str, base_url: str | None) -> Connection:
        """Imports the client library; `Misuse` where that is not installed or no address is known."""
        ...


def client_library(module: str, *, extra: str) -> ModuleType:
    """Imported when it is used: each takes up to a second."""
    try:
        return import_module(module)
    except ImportError as error:
        raise Misuse(f"asking this provider needs the package `{module}`: pip install 'bylaw[{extra}]'") from error
