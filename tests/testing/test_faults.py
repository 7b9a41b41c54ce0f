"""Each fault of a script, as the official client meets it; what the client raises is its own business."""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai
import pytest
from google.genai import errors

from bylaw.testing import ScriptedModel
from bylaw.wire import NotAResponse

from .clients import APIS, PATIENCE_S, ask
from .scripts import TEXT

STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
EVERY_API = pytest.mark.parametrize("api", APIS)


def failure(answer: dict[str, Any], api: str, *, streamed: bool, timeout: float = PATIENCE_S) -> Exception:
    with ScriptedModel.from_answers(answer) as model, pytest.raises(Exception) as raised:
        ask(model, api, streamed=streamed, timeout=timeout)
    assert len(model.requests) == 1
    assert not model.unused
    return raised.value


def status(error: Exception) -> int:
    if isinstance(error, errors.APIError):
        return int(error.code)
    assert isinstance(error, openai.APIStatusError | anthropic.APIStatusError)
    return error.status_code


@EVERY_API
@STREAMED
@pytest.mark.parametrize("code", [400, 401, 404, 429, 500, 503, 529])
def test_an_error_has_its_status_and_message(api: str, streamed: bool, code: int) -> None:
    error = failure({"status": code, "message": "come back later"}, api, streamed=streamed)
    assert status(error) == code
    assert "come back later" in str(error)


@pytest.mark.parametrize("api", ["openai_chat", "openai_responses", "anthropic_messages"])
def test_a_429_says_how_long_to_wait(api: str) -> None:
    error = failure({"status": 429, "retry_after": 2}, api, streamed=False)
    assert isinstance(error, openai.RateLimitError | anthropic.RateLimitError)
    assert error.response.headers["retry-after"] == "2"


def test_google_says_it_in_the_details() -> None:
    error = failure({"status": 429, "retry_after": 2.5}, "gemini", streamed=False)
    assert isinstance(error, errors.ClientError)
    assert error.details["error"]["details"][0]["retryDelay"] == "2.5s"


def test_an_error_may_have_a_name() -> None:
    error = failure({"status": 429, "error": "insufficient_quota"}, "openai_chat", streamed=False)
    assert isinstance(error, openai.RateLimitError)
    assert error.code == "insufficient_quota"


def test_an_overloaded_anthropic_has_a_name_of_its_own() -> None:
    error = failure({"status": 529}, "anthropic_messages", streamed=True)
    assert isinstance(error, anthropic.APIStatusError)
    assert "overloaded_error" in str(error.body)


@EVERY_API
@STREAMED
def test_a_gateway_may_answer_with_a_page(api: str, streamed: bool) -> None:
    assert status(failure({"status": 502, "junk": "<html>Bad gateway</html>"}, api, streamed=streamed)) == 502


DROPS: list[dict[str, Any]] = [{"drop": "before"}, {"text": TEXT, "drop": "mid-stream"}]


@EVERY_API
@STREAMED
@pytest.mark.parametrize("answer", DROPS, ids=["before", "mid-stream"])
def test_a_connection_that_closes(api: str, streamed: bool, answer: dict[str, Any]) -> None:
    error = failure(answer, api, streamed=streamed)
    names = {type(each).__name__ for each in (error, error.__cause__)}
    assert names & {"APIConnectionError", "RemoteProtocolError"}


@pytest.mark.parametrize("api", ["openai_chat", "anthropic_messages"])
def test_what_came_before_the_drop_was_seen(api: str) -> None:
    with ScriptedModel.from_answers({"text": TEXT, "drop": "mid-stream"}) as model:
        seen: list[Any] = []
        with pytest.raises(Exception):  # noqa: B017 (any client's)
            _collect(model, api, seen)
    assert seen


def _collect(model: ScriptedModel, api: str, seen: list[Any]) -> None:
    messages: Any = [{"role": "user", "content": "x"}]
    if api == "openai_chat":
        with openai.OpenAI(base_url=model.base_url(api), api_key="x", max_retries=0) as client:
            seen.extend(client.chat.completions.create(model="m", messages=messages, stream=True))
    else:
        with anthropic.Anthropic(base_url=model.base_url(api), api_key="x", max_retries=0) as asked:
            for event in asked.messages.create(model="m", max_tokens=9, messages=messages, stream=True):
                seen.append(event)  # noqa: PERF402 (`extend` keeps nothing of a list that breaks off)


@EVERY_API
def test_a_stream_that_is_cut_ends_without_saying_why(api: str) -> None:
    error = failure({"text": TEXT, "cut": True}, api, streamed=True)
    assert isinstance(error, NotAResponse)
    assert "cut off" in str(error)


@EVERY_API
def test_a_body_that_is_cut_is_no_json(api: str) -> None:
    assert isinstance(failure({"text": TEXT, "cut": True}, api, streamed=False), json.JSONDecodeError)


@EVERY_API
@STREAMED
def test_junk_is_no_json(api: str, streamed: bool) -> None:
    error = failure({"junk": "<oops>"}, api, streamed=streamed)
    assert isinstance(error, json.JSONDecodeError | errors.UnknownApiResponseError)


@EVERY_API
@STREAMED
def test_a_client_gives_up_on_a_delay(api: str, streamed: bool) -> None:
    """And the server does not wait for it either, or this test would take an hour."""
    error = failure({"text": "x", "delay_ms": 3_600_000}, api, streamed=streamed, timeout=0.2)
    assert "Time" in type(error).__name__


def test_a_short_delay_is_only_a_delay() -> None:
    with ScriptedModel.from_answers({"text": "x", "delay_ms": 1}) as model:
        assert ask(model, "openai_chat").content == "x"


def test_an_official_client_gets_over_what_goes_by() -> None:
    faults: list[dict[str, Any]] = [{"status": 429, "retry_after": 0}, {"drop": "before"}, {"text": "at last"}]
    with (
        ScriptedModel.from_answers(*faults) as model,
        openai.OpenAI(base_url=model.base_url("openai"), api_key="x", max_retries=2) as client,
    ):
        answer = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    assert answer.choices[0].message.content == "at last"
    assert [received.answer for received in model.requests] == [1, 2, 3]
