"""What a module that knows a provider's API offers: both directions, without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from bylaw.wire.failure import Failure
from bylaw.wire.request import Request
from bylaw.wire.response import Response


class Codec(Protocol):
    """Raw values are JSON data: what the API sends in a body, and what a stream sends in one event."""

    name: str
    provider: str
    """Whose API it is; a provider may have several."""

    def recognises(self, raw: dict[str, Any], /) -> bool:
        """Whether this looks like a whole answer of this API."""

    def recognises_event(self, event: dict[str, Any], /) -> bool:
        """Whether this looks like an event of this API's streams."""

    def decode(self, raw: dict[str, Any], /) -> Response: ...

    def encode(self, response: Response, /) -> dict[str, Any]: ...

    def assemble(self, events: Sequence[dict[str, Any]], /) -> dict[str, Any]:
        """The whole answer that a stream came to. One that stops too early is not a response."""

    def stream(self, response: Response, /, *, size: int = 24) -> Iterator[dict[str, Any]]:
        """The events that come to this answer, with texts in pieces of `size` characters."""

    def frames(self, events: Iterable[dict[str, Any]], /) -> Iterator[str]:
        """The text in which a server sends these events, one by one."""

    def refuse(self, failure: Failure, /) -> dict[str, Any]:
        """The body of an error."""

    def request(self, asked: Request, /) -> dict[str, Any]:
        """The body that asks it."""

    def keywords(self, asked: Request, /) -> dict[str, Any]:
        """What the official client's method takes to ask it."""

    def read_request(self, body: Any, /) -> Request: ...
