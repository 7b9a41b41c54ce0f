"""Every provider's errors have a class a contract can name, and say how long to wait."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.wire import CODECS, KINDS, STATUS, Failure, Kind, ProviderFailed, decode, failure_in

from .answers import NAMES

BODIES: dict[str, tuple[Any, str, int | None]] = {
    "openai limit": (
        {"error": {"message": "m", "type": "requests", "code": "rate_limit_exceeded"}},
        "rate_limit",
        None,
    ),
    "openai quota": ({"error": {"message": "m", "type": "insufficient_quota", "code": None}}, "rate_limit", None),
    "openai request": (
        {"error": {"message": "m", "type": "invalid_request_error", "param": "x"}},
        "bad_request",
        None,
    ),
    "openai key": (
        {"error": {"message": "m", "code": "invalid_api_key", "type": "invalid_request_error"}},
        "bad_request",
        None,
    ),
    "openai server": ({"error": {"message": "m", "type": "server_error"}}, "server_error", None),
    "anthropic busy": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "m"}},
        "server_error",
        None,
    ),
    "anthropic limit": ({"type": "error", "error": {"type": "rate_limit_error", "message": "m"}}, "rate_limit", None),
    "anthropic time": ({"type": "error", "error": {"type": "timeout_error", "message": "m"}}, "timeout", None),
    "anthropic batch": (
        {"error": {"type": "error", "error": {"type": "api_error", "message": "m"}}},
        "server_error",
        None,
    ),
    "google limit": ({"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED"}}, "rate_limit", 429),
    "google time": ({"error": {"code": 504, "message": "m", "status": "DEADLINE_EXCEEDED"}}, "timeout", 504),
    "google key": ({"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}, "bad_request", 400),
    "google busy": ({"error": {"status": "UNAVAILABLE", "message": "m"}}, "server_error", None),
    "a local server": (
        {"object": "error", "message": "m", "type": "BadRequestError", "code": 400},
        "bad_request",
        400,
    ),
    "a text": ({"error": "m"}, "server_error", None),
    "nobody knows": ({"error": {"message": "m", "type": "strange"}}, "server_error", None),
    "our word": ({"error": {"message": "m", "type": "connection"}}, "connection", None),
}


@pytest.mark.parametrize("which", BODIES)
def test_the_class_of_an_error(which: str) -> None:
    body, kind, status = BODIES[which]
    with pytest.raises(ProviderFailed) as raised:
        decode(body)
    failure = raised.value.failure
    assert (failure.kind, failure.message, failure.status) == (kind, "m", status)
    assert str(raised.value).startswith(f"the provider answered with an error ({kind})")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "bad_request"),
        (408, "timeout"),
        (422, "bad_request"),
        (429, "rate_limit"),
        (500, "server_error"),
        (502, "server_error"),
        (504, "timeout"),
        (529, "server_error"),
    ],
)
def test_the_status_says_most(status: int, kind: str) -> None:
    failure = failure_in({"error": {"type": "strange"}}, status=status)
    assert failure is not None
    assert (failure.kind, failure.status) == (kind, status)


def test_the_body_a_client_has_unwrapped() -> None:
    failure = failure_in({"message": "m", "type": "requests", "code": "rate_limit_exceeded"}, status=429)
    assert failure == Failure(kind="rate_limit", message="m", word="rate_limit_exceeded", status=429)


@pytest.mark.parametrize("raw", [{}, {"error": None}, {"error": {}}, {"content": "hi"}, None, [], "x"])
def test_what_tells_of_no_error(raw: Any) -> None:
    assert (failure_in(raw, status=200) is None) == (raw != {"error": {}})


LATER = "Thu, 01 Oct 2026 10:00:30 GMT"
NOW = "Thu, 01 Oct 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"Retry-After": 3}, 3.0),
        ([["Retry-After", "1.5"]], 1.5),
        ({"Retry-After": ["4"]}, 4.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"Retry-After": LATER, "Date": NOW}, 30.0),
        ({"Retry-After": NOW, "Date": LATER}, 0.0),
        ({"Retry-After": LATER}, None),
        ({"Retry-After": "soon", "Date": "now"}, None),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({}, None),
        (None, None),
        (5, None),
    ],
    ids=range(14),
)
def test_how_long_to_wait(headers: Any, seconds: float | None) -> None:
    failure = failure_in({"error": {"message": "m"}}, status=429, headers=headers)
    assert failure is not None
    assert failure.retry_after == seconds


def test_google_says_how_long_in_the_details() -> None:
    details = [{"@type": "x"}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"}]
    failure = failure_in({"error": {"code": 429, "details": details}})
    assert failure is not None
    assert failure.retry_after == 12.5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_written_error_is_read_as_that_error(name: str, kind: Kind) -> None:
    body = CODECS[name].refuse(Failure(kind=kind, message="m"))
    found = failure_in(body, status=STATUS[kind])
    assert found is not None
    told = "server_error" if kind in ("connection", "invalid_response") else kind
    assert (found.kind, found.message) == (told, "m")
