"""Asking a model: one attempt after the other until there is an answer or no more patience."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from bylaw.models.answers import read_answer
from bylaw.models.patience import Again, Patience, next_step
from bylaw.models.provider import AttemptFailed, Connection
from bylaw.wire import Codec, Failure, Kind, NotARequest, Request, Response

LONGEST_LINE = 500

log = logging.getLogger("bylaw.models")


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """`raw` is JSON data in the provider's own shape. `ms` is everything, sleeps and failed attempts included."""

    raw: dict[str, Any]
    response: Response
    ms: float
    attempts: int


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    kind: Kind
    message: str
    ms: float
    attempts: int


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that pass, sleeping, and chance."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


def seeded(seed: str) -> Timing:
    """The same chances for the same seed, on every machine."""
    return Timing(chance=random.Random(seed).random)  # noqa: S311 (it spreads sleeps)


async def ask(
    connection: Connection,
    request: Request,
    *,
    codec: Codec,
    patience: Patience,
    stream: bool = False,
    timing: Timing | None = None,
    hide: Callable[[str], str] = str,
) -> Answered | Failed:
    """Never raises for what a provider does. `hide` takes secrets out of what failures say."""
    timing = timing or Timing()
    started = timing.now()
    attempts = 0
    while True:
        left_s = patience.total_ms / 1000 - (timing.now() - started)
        attempts += 1
        try:
            raw, response = await _attempt(connection, request, codec=codec, stream=stream, left_s=left_s)
        except AttemptFailed as error:
            failure = error.failure
        else:
            return Answered(raw=raw, response=response, ms=_ms(timing.now() - started), attempts=attempts)
        elapsed_ms = _ms(timing.now() - started)
        step = next_step(patience, failure, attempts=attempts, elapsed_ms=elapsed_ms, chance=timing.chance())
        if not isinstance(step, Again):
            message = _said(failure, hide) + (f" ({step.why})" if step.why else "")
            return Failed(kind=failure.kind, message=message, ms=elapsed_ms, attempts=attempts)
        await timing.sleep(step.sleep_s)


async def _attempt(
    connection: Connection, request: Request, *, codec: Codec, stream: bool, left_s: float
) -> tuple[dict[str, Any], Response]:
    late = Failure(kind="timeout", message="there was no whole answer within the time limit")
    if left_s <= 0:
        raise AttemptFailed(late)
    try:
        async with asyncio.timeout(left_s):
            body = await connection.send(request, stream=stream, seconds=left_s)
    except TimeoutError as error:
        raise AttemptFailed(late) from error
    except NotARequest as error:
        raise AttemptFailed(Failure(kind="bad_request", message=str(error))) from error
    except AttemptFailed:
        raise
    except Exception as error:
        # A client library may raise anything over what a server sends.
        log.debug("the client of a provider broke", exc_info=error)
        message = f"the client could not read the answer: {type(error).__name__}: {error}"
        raise AttemptFailed(Failure(kind="invalid_response", message=message)) from error
    return read_answer(codec, body, stream=stream)


def _said(failure: Failure, hide: Callable[[str], str]) -> str:
    """One line: what kind of failure, and what is known of it."""
    told = ", ".join(str(part) for part in (failure.status, failure.word, failure.message) if part)
    line = " ".join(hide(f"{failure.kind}: {told}" if told else failure.kind).split())
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
