"""Whatever a provider does, it has a kind a contract can name."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from bylaw.models import Patience
from bylaw.testing import ScriptedModel
from bylaw.wire import CODECS, CallAsked, Kind, Response

from .canned import canned, http
from .lines import BOOKED, KEY, PROVIDERS, SHAPED_LIKE_A_KEY, ask_at, ask_scripted, failed

EVERYBODY = pytest.mark.parametrize("provider", PROVIDERS)
WAYS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
ONCE = Patience(max_attempts=1)

APIS = {
    "openai": "openai_chat",
    "openai-compatible": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "gemini": "gemini",
}


@EVERYBODY
@WAYS
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "bad_request"),
        (404, "bad_request"),
        (408, "timeout"),
        (429, "rate_limit"),
        (500, "server_error"),
        (503, "server_error"),
        (504, "timeout"),
    ],
)
def test_an_error_by_its_status(provider: str, stream: bool, status: int, kind: Kind) -> None:
    refusal = {"status": status, "message": "not today"}
    result = failed(ask_scripted(provider, refusal, stream=stream, patience=ONCE))
    assert result.kind == kind
    assert f"{status}" in result.message
    assert "not today" in result.message
    assert result.attempts == 1


@EVERYBODY
@WAYS
def test_an_error_with_a_page_of_a_proxy(provider: str, stream: bool) -> None:
    refusal = {"status": 502, "junk": "<html><body>Bad gateway</body></html>"}
    result = failed(ask_scripted(provider, refusal, stream=stream, patience=ONCE))
    assert (result.kind, "502" in result.message) == ("server_error", True)


@EVERYBODY
@WAYS
def test_an_answer_that_does_not_come_in_time(provider: str, stream: bool) -> None:
    with ScriptedModel.from_answers({**BOOKED, "delay_ms": 60_000}) as server:
        result = failed(ask_at(server.url, provider, stream=stream, patience=Patience(total_ms=300, max_attempts=1)))
    assert result.kind == "timeout"


@EVERYBODY
@WAYS
def test_nobody_there(provider: str, stream: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "http://{}:{}".format(*taken.getsockname())
    assert failed(ask_at(address, provider, stream=stream, patience=ONCE)).kind == "connection"


@EVERYBODY
@WAYS
def test_a_connection_closed_before_the_answer(provider: str, stream: bool) -> None:
    result = failed(ask_scripted(provider, {"drop": "before"}, stream=stream, patience=ONCE))
    assert result.kind == "connection"


@EVERYBODY
@WAYS
@pytest.mark.parametrize("how", [{"drop": "mid-stream"}, {"cut": True}], ids=["dropped", "cut"])
def test_a_stream_that_breaks_off(provider: str, stream: bool, how: dict[str, object]) -> None:
    result = failed(ask_scripted(provider, {"text": "long " * 100, **how}, stream=stream, patience=ONCE))
    assert result.kind == ("invalid_response" if "cut" in how and not stream else "connection")


@EVERYBODY
def test_a_stream_that_breaks_off_inside_an_event(provider: str) -> None:
    codec = CODECS[APIS[provider]]
    text = "".join(codec.frames(codec.stream(Response(content="Good morning " * 20))))
    answer = http(text[: len(text) // 2], media="text/event-stream")
    with canned(answer) as url:
        result = failed(ask_at(url, provider, stream=True, patience=ONCE))
    # Google's client reads the events itself, and can't tell half of one from junk.
    assert result.kind == ("invalid_response" if provider == "gemini" else "connection")


@EVERYBODY
def test_a_stream_that_stalls(provider: str) -> None:
    codec = CODECS[APIS[provider]]
    begun = list(codec.frames(codec.stream(Response(content="Good morning " * 20))))[:3]
    with canned(http("".join(begun), media="text/event-stream"), stalls=True) as url:
        patience = Patience(total_ms=300, max_attempts=1)
        assert failed(ask_at(url, provider, stream=True, patience=patience)).kind == "timeout"


@EVERYBODY
@WAYS
@pytest.mark.parametrize("junk", ["no JSON at all", '{"a": ', "[]", "null", '"text"', "{}", '{"hello": 1}'])
def test_junk(provider: str, stream: bool, junk: str) -> None:
    result = failed(ask_scripted(provider, {"junk": junk}, stream=stream, patience=ONCE))
    assert result.kind == "invalid_response"


@EVERYBODY
@pytest.mark.parametrize("body", [b"", b"\xff\xfe\x00", b"{" * 100_000], ids=["empty", "bytes", "deep"])
def test_bodies_that_are_no_text(provider: str, body: bytes) -> None:
    with canned(http("") + body) as url:
        assert failed(ask_at(url, provider, patience=ONCE)).kind == "invalid_response"


@WAYS
@pytest.mark.parametrize(
    ("provider", "other"), [(name, other) for name, own in APIS.items() for other in CODECS if other != own]
)
def test_the_shape_of_another_provider(provider: str, stream: bool, other: str) -> None:
    codec = CODECS[other]
    said = Response(id="x", model="m", content="Good morning", finish_reason="stop")
    if stream:
        answer = http("".join(codec.frames(codec.stream(said))), media="text/event-stream")
    else:
        answer = http(json.dumps(codec.encode(said)))
    with canned(answer) as url:
        result = failed(ask_at(url, provider, stream=stream, patience=ONCE))
    assert result.kind == "invalid_response"


@EVERYBODY
@WAYS
def test_a_key_in_an_error_is_not_repeated(provider: str, stream: bool) -> None:
    said = f"the key {KEY} is wrong, and so is {SHAPED_LIKE_A_KEY}"
    result = failed(ask_scripted(provider, {"status": 401, "message": said}, stream=stream, patience=ONCE))
    assert "is wrong" in result.message
    assert SHAPED_LIKE_A_KEY not in result.message


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic"])
def test_an_error_in_the_middle_of_a_stream_has_its_own_kind(provider: str) -> None:
    codec = CODECS[APIS[provider]]
    begun = list(codec.stream(Response(content="Good morning", tool_calls=(CallAsked(name="book"),))))[:3]
    errors: dict[str, dict[str, Any]] = {
        "openai": {"error": {"type": "server_error", "message": "tired"}},
        "openai-responses": {"type": "error", "code": "server_error", "message": "tired"},
        "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "tired"}},
    }
    answer = http("".join(codec.frames([*begun, errors[provider]])), media="text/event-stream")
    with canned(answer) as url:
        result = failed(ask_at(url, provider, stream=True, patience=ONCE))
    assert (result.kind, "tired" in result.message) == ("server_error", True)
