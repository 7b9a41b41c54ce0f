"""Asking again, as the contract says: with a clock that only sleeps move."""

from __future__ import annotations

import pytest

from bylaw.models import Patience

from .canned import canned, http
from .lines import BOOKED, PROVIDERS, Clock, answered, ask_at, ask_scripted, failed

EVERYBODY = pytest.mark.parametrize("provider", PROVIDERS)
BUSY = {"status": 503}
LIMITED = {"status": 429, "retry_after": 7}


@EVERYBODY
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_second_attempt_succeeds(provider: str, stream: bool) -> None:
    clock = Clock()
    result = answered(ask_scripted(provider, BUSY, BOOKED, stream=stream, clock=clock))
    assert (result.attempts, clock.slept) == (2, [0.25])


@EVERYBODY
def test_a_dropped_stream_is_asked_for_again(provider: str) -> None:
    dropped = {"text": "long " * 100, "drop": "mid-stream"}
    assert answered(ask_scripted(provider, dropped, BOOKED, stream=True)).attempts == 2


@EVERYBODY
def test_the_client_does_not_retry_behind_our_back(provider: str) -> None:
    result = failed(ask_scripted(provider, BUSY, patience=Patience(max_attempts=1)))
    assert result.attempts == 1


@EVERYBODY
def test_retry_after_is_honoured(provider: str) -> None:
    clock = Clock()
    result = answered(ask_scripted(provider, LIMITED, BOOKED, clock=clock))
    assert (clock.slept, result.ms) == ([7.0], 7000.0)


@EVERYBODY
def test_a_wait_longer_than_allowed_ends_it(provider: str) -> None:
    clock = Clock()
    result = failed(ask_scripted(provider, LIMITED, patience=Patience(max_sleep_s=5), clock=clock))
    assert (result.kind, clock.slept) == ("rate_limit", [])
    assert "it asks to wait 7 s, longer than the 5 s allowed" in result.message


def test_a_wait_past_the_time_limit_is_not_begun() -> None:
    clock = Clock()
    result = failed(ask_scripted("openai", LIMITED, patience=Patience(total_ms=6000), clock=clock))
    assert clock.slept == []
    assert "waiting 7 s more would pass the limit of 6000 ms" in result.message


def test_retry_after_may_be_ignored() -> None:
    clock = Clock()
    answered(ask_scripted("openai", LIMITED, BOOKED, patience=Patience(respect_retry_after=False), clock=clock))
    assert clock.slept == [0.25]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
@pytest.mark.parametrize(
    ("headers", "slept"),
    [
        (["retry-after-ms: 1500"], 1.5),
        (["retry-after: 2.5"], 2.5),
        (["date: Sun, 06 Nov 2022 08:49:37 GMT", "retry-after: Sun, 06 Nov 2022 08:49:40 GMT"], 3.0),
        (["retry-after: soon"], 0.25),
        (["retry-after: -5"], 0.25),
        (["retry-after: inf"], 0.25),
    ],
    ids=["milliseconds", "seconds", "date", "word", "negative", "endless"],
)
def test_every_spelling_of_retry_after(provider: str, headers: list[str], slept: float) -> None:
    clock = Clock()
    refusal = http('{"error": {"message": "slower"}}', *headers, status="429 Too Many Requests")
    with canned(refusal, refusal) as url:
        result = failed(ask_at(url, provider, clock=clock))
    assert (result.kind, clock.slept) == ("rate_limit", [slept])


def test_attempts_end_where_the_contract_says() -> None:
    clock = Clock()
    result = failed(ask_scripted("openai", BUSY | {"times": 4}, patience=Patience(max_attempts=4), clock=clock))
    assert (result.attempts, clock.slept) == (4, [0.25, 0.5, 1.0])
    assert result.message.endswith("(asked 4 times)")


def test_what_the_contract_does_not_name_is_not_asked_again() -> None:
    assert failed(ask_scripted("openai", BUSY, patience=Patience(retry_on=("timeout",)))).attempts == 1


def test_junk_may_be_asked_again_by_name() -> None:
    patience = Patience(retry_on=("invalid_response",))
    assert answered(ask_scripted("openai", {"junk": "?"}, BOOKED, patience=patience)).attempts == 2
