"""What goes wrong between a client and a server, in the classes a contract can name."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

from bylaw.models.provider import AttemptFailed
from bylaw.wire import Failure, NotAResponse, failure_in, parsed

LARGEST_BODY = 64 * 1024**2

_TIMEOUTS = (("httpx2", "TimeoutException"), ("httpx", "TimeoutException"), ("aiohttp", "ServerTimeoutError"))
_BREAKS = (
    ("httpx2", "TransportError"),
    ("httpx", "TransportError"),
    ("aiohttp", "ClientConnectionError"),
    ("aiohttp", "ClientPayloadError"),
)


async def whole_body(pieces: AsyncIterator[bytes]) -> bytes:
    """Everything a server sends, within bounds."""
    read = bytearray()
    async for piece in pieces:
        read += piece
        if len(read) > LARGEST_BODY:
            message = f"the answer is longer than {LARGEST_BODY // 1024**2} MiB"
            raise AttemptFailed(Failure(kind="invalid_response", message=message))
    return bytes(read)


def status_failure(status: int, said: Any, headers: Mapping[str, str]) -> Failure:
    """An answer with a status that is not success; `said` is its body, as text or as data."""
    if isinstance(said, str):
        with suppress(NotAResponse):  # of a proxy's page, or of nothing, the status says enough
            said = parsed(said)
    unknown = Failure(kind="invalid_response", status=status, message="the server answered with an unknown status")
    return failure_in(said, status=status, headers=dict(headers)) or unknown


def transport_failure(error: BaseException) -> Failure | None:
    """Whichever HTTP library a client uses, it is imported by the time it raises."""
    if isinstance(error, TimeoutError) or _is_one(error, _TIMEOUTS):
        return Failure(kind="timeout", message="the server did not answer in time")
    if isinstance(error, OSError) or _is_one(error, _BREAKS):
        said = str(error)
        return Failure(
            kind="connection", message=f"the connection failed: {said}" if said else "the connection failed"
        )
    return None


def _is_one(error: BaseException, named: tuple[tuple[str, str], ...]) -> bool:
    known = [vars(sys.modules[module]).get(name) for module, name in named if module in sys.modules]
    return isinstance(error, tuple(kind for kind in known if isinstance(kind, type)))
