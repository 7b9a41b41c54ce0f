"""What to do after a failure: decided without a clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bylaw.models import Patience
from bylaw.models.patience import Again, GiveUp, next_step
from bylaw.wire import KINDS, Failure, Kind


def step(
    patience: Patience,
    kind: Kind = "rate_limit",
    *,
    retry_after: float | None = None,
    attempts: int = 1,
    elapsed_ms: float = 0,
    chance: float = 0.0,
) -> Again | GiveUp:
    failure = Failure(kind=kind, retry_after=retry_after)
    return next_step(patience, failure, attempts=attempts, elapsed_ms=elapsed_ms, chance=chance)


@pytest.mark.parametrize("kind", ["timeout", "connection", "rate_limit", "server_error"])
def test_what_may_pass_is_asked_again(kind: Kind) -> None:
    assert isinstance(step(Patience(), kind), Again)


@pytest.mark.parametrize("kind", ["bad_request", "invalid_response"])
def test_what_would_only_come_again_is_not(kind: Kind) -> None:
    assert step(Patience(), kind) == GiveUp()


@pytest.mark.parametrize("kind", KINDS)
def test_the_contract_says_what_is_asked_again(kind: Kind) -> None:
    assert isinstance(step(Patience(retry_on=(kind,)), kind), Again)
    assert step(Patience(retry_on=()), kind) == GiveUp()


def test_attempts_are_counted() -> None:
    assert isinstance(step(Patience(max_attempts=3), attempts=2), Again)
    assert step(Patience(max_attempts=3), attempts=3) == GiveUp(why="asked 3 times")
    assert step(Patience(max_attempts=1)) == GiveUp()


def test_sleeps_double_up_to_a_bound_and_half_of_each_is_chance() -> None:
    patience = Patience(max_attempts=100, total_ms=1e9)
    shortest = [step(patience, attempts=n, chance=0.0) for n in (1, 2, 3, 4, 5, 6, 99)]
    assert shortest == [Again(sleep_s=s) for s in (0.25, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0)]
    assert step(patience, attempts=2, chance=1.0) == Again(sleep_s=1.0)


def test_a_provider_that_says_when_is_believed() -> None:
    assert step(Patience(), retry_after=7.5) == Again(sleep_s=7.5)
    assert step(Patience(), "server_error", retry_after=0) == Again(sleep_s=0)


def test_unless_the_contract_does_not_want_that() -> None:
    assert step(Patience(respect_retry_after=False), retry_after=7.5) == Again(sleep_s=0.25)


def test_a_sleep_longer_than_allowed_is_not_begun() -> None:
    gave_up = step(Patience(max_sleep_s=5), retry_after=7.5)
    assert gave_up == GiveUp(why="it asks to wait 7.5 s, longer than the 5 s allowed")
    assert step(Patience(max_sleep_s=7.5), retry_after=7.5) == Again(sleep_s=7.5)


def test_a_sleep_of_our_own_is_cut_to_what_is_allowed() -> None:
    assert step(Patience(max_sleep_s=0.1)) == Again(sleep_s=0.1)


def test_a_sleep_that_would_pass_the_time_limit_is_not_begun_and_says_so() -> None:
    gave_up = step(Patience(total_ms=2000), retry_after=1.5, elapsed_ms=600)
    assert gave_up == GiveUp(why="waiting 1.5 s more would pass the limit of 2000 ms")


def test_after_the_time_limit_nothing_more_is_said() -> None:
    assert step(Patience(total_ms=2000), "timeout", elapsed_ms=2000) == GiveUp()


@given(
    total_ms=st.floats(1, 1e6),
    most=st.integers(1, 20),
    longest=st.none() | st.floats(0, 100),
    retry_after=st.none() | st.floats(0, 1e4),
    attempts=st.integers(1, 25),
    elapsed_ms=st.floats(0, 1e6),
    chance=st.floats(0, 1),
    respect=st.booleans(),
    kind=st.sampled_from(KINDS),
)
def test_no_limit_is_ever_passed(
    total_ms: float,
    most: int,
    longest: float | None,
    retry_after: float | None,
    attempts: int,
    elapsed_ms: float,
    chance: float,
    respect: bool,
    kind: Kind,
) -> None:
    patience = Patience(total_ms=total_ms, max_attempts=most, max_sleep_s=longest, respect_retry_after=respect)
    found = step(patience, kind, retry_after=retry_after, attempts=attempts, elapsed_ms=elapsed_ms, chance=chance)
    if isinstance(found, Again):
        assert attempts < most
        assert kind in patience.retry_on
        assert elapsed_ms + found.sleep_s * 1000 < total_ms
        assert longest is None or found.sleep_s <= longest
        assert not respect or retry_after is None or found.sleep_s >= retry_after
