"""What came in at a scripted model, and what it did not know to answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec

from bylaw.errors import Span
from bylaw.testing.matching import last_said, new_results, turn
from bylaw.testing.script import API
from bylaw.wire import Request

NOT_KEPT = "[not kept]"

_SECRET = frozenset(
    {"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key", "x-auth-token"}
)
_SHOWN = 80


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """A request: in normal form, with what was said before where the server was to remember it, and as it came.

    `answer` is the number of the script's entry that was given, counted from 1, or None where none fits. Keys and
    cookies are not among the `headers`: only that they were sent.
    """

    number: int
    api: API
    path: str
    streamed: bool
    request: Request
    body: Any
    headers: Mapping[str, str]
    answer: int | None = None

    @property
    def turn(self) -> int:
        return turn(self.request)

    def __str__(self) -> str:
        said = last_said(self.request)
        shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"
        results = ", ".join(f"`{message.name}`" for message in new_results(self.request))
        after = f" after {results}" if results else ""
        return f"request {self.number} ({self.api}, model `{self.request.model}`, turn {self.turn}{after}): {shown!r}"


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be read as a request to a model, and how it was answered."""

    method: str
    path: str
    status: int
    reason: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}: {self.status}, {self.reason}"


class Unused(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of the script that was given less often than it could have been."""

    answer: int
    where: Span
    given: int
    times: int | None

    def __str__(self) -> str:
        often = "was never given" if not self.given else f"was given {self.given} of {self.times} times"
        return f"answer {self.answer} ({self.where}) {often}"


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: NOT_KEPT if name in _SECRET else value for name, value in headers.items()}


def without_key(query: str) -> str:
    """Google's key may stand in the address."""
    given = parse_qsl(query, keep_blank_values=True)
    return urlencode([(name, NOT_KEPT if name in ("key", "access_token") else value) for name, value in given])
