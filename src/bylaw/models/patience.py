"""How long and how often a provider is asked: the decision, without a clock."""

from __future__ import annotations

import msgspec

from bylaw.wire import Failure, Kind

FIRST_SLEEP_S = 0.5
LONGEST_BACKOFF_S = 8.0
PASSING: tuple[Kind, ...] = ("timeout", "connection", "rate_limit", "server_error")
"""What may be gone when one asks again."""


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """`total_ms` holds over all attempts and the sleeps between them.

    `max_sleep_s` bounds one sleep, None leaves that to the total. A provider that asks for a longer one is not asked
    again: it would refuse.
    """

    total_ms: float = 30_000
    max_attempts: int = 2
    retry_on: tuple[Kind, ...] = PASSING
    respect_retry_after: bool = True
    max_sleep_s: float | None = None


class Again(msgspec.Struct, frozen=True, kw_only=True):
    sleep_s: float


class GiveUp(msgspec.Struct, frozen=True, kw_only=True):
    """`why` says which limit ended it, and is empty where the failure says enough."""

    why: str = ""


def next_step(
    patience: Patience, failure: Failure, *, attempts: int, elapsed_ms: float, chance: float
) -> Again | GiveUp:
    """What to do after `attempts` attempts, the last of which failed. `chance` in 0 to 1 spreads the sleeps."""
    if failure.kind not in patience.retry_on or elapsed_ms >= patience.total_ms:
        return GiveUp()
    if attempts >= patience.max_attempts:
        return GiveUp(why=f"asked {attempts} times" if attempts > 1 else "")
    asked_for = failure.retry_after if patience.respect_retry_after else None
    longest = patience.max_sleep_s
    if asked_for is None:
        sleep_s = _backoff(attempts, chance) if longest is None else min(_backoff(attempts, chance), longest)
    elif longest is not None and asked_for > longest:
        return GiveUp(why=f"it asks to wait {asked_for:g} s, longer than the {longest:g} s allowed")
    else:
        sleep_s = asked_for
    if elapsed_ms + sleep_s * 1000 >= patience.total_ms:
        return GiveUp(why=f"waiting {sleep_s:.3g} s more would pass the limit of {patience.total_ms:g} ms")
    return Again(sleep_s=sleep_s)


def _backoff(attempts: int, chance: float) -> float:
    """Twice as long after every attempt; half of it by chance, so that many who wait don't come back at once."""
    longest = min(FIRST_SLEEP_S * 2.0 ** min(attempts - 1, 30), LONGEST_BACKOFF_S)
    return longest * (1 + chance) / 2
