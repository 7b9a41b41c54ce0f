"""One request through every provider's official client: what is sent, and what comes back."""

from __future__ import annotations

import msgspec
import pytest

from bylaw.models import Answered
from bylaw.testing import ScriptedModel
from bylaw.wire import CODECS, CallAsked, Message, tool_calls

from .lines import BOOKED, PROVIDERS, REQUEST, answered, ask_at, ask_scripted, failed

WAYS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
EVERYBODY = pytest.mark.parametrize("provider", PROVIDERS)


@EVERYBODY
@WAYS
def test_a_call_comes_back_in_normal_form(provider: str, stream: bool) -> None:
    result = answered(ask_scripted(provider, BOOKED, stream=stream))
    (call,) = result.response.tool_calls
    assert (call.name, call.arguments) == ("book", {"to": "Oslo"})
    assert result.response.finish_reason == "tool_calls"
    assert result.attempts == 1


@EVERYBODY
@WAYS
def test_text_comes_back_with_its_usage(provider: str, stream: bool) -> None:
    said = {"text": "Gern: nach Ōsaka? " * 20, "usage": {"input_tokens": 12, "output_tokens": 34}}
    response = answered(ask_scripted(provider, said, stream=stream)).response
    assert response.content == said["text"]
    assert response.usage == {"input_tokens": 12, "output_tokens": 34, "total_tokens": 46}


@EVERYBODY
@WAYS
def test_parallel_calls_keep_their_order(provider: str, stream: bool) -> None:
    calls = [{"name": "book", "arguments": {"to": to}} for to in ("Oslo", "Rome", "Oslo")]
    response = answered(ask_scripted(provider, {"tool_calls": calls}, stream=stream)).response
    assert [call.arguments["to"] for call in response.tool_calls] == ["Oslo", "Rome", "Oslo"]


@EVERYBODY
@WAYS
def test_malformed_arguments_are_an_answer(provider: str, stream: bool) -> None:
    call = {"name": "book", "raw_arguments": '{"to": "Os'}
    response = answered(ask_scripted(provider, {"tool_calls": [call]}, stream=stream)).response
    (asked,) = tool_calls(response)
    assert asked.malformed is not None
    if (provider, stream) != ("gemini", True):  # whose client does not hand on what was malformed
        assert '{"to": "Os' in asked.malformed.replace("\\", "")


@EVERYBODY
@WAYS
def test_what_is_kept_is_the_providers_own_shape(provider: str, stream: bool) -> None:
    result = answered(ask_scripted(provider, BOOKED, stream=stream))
    owners = [name for name, codec in CODECS.items() if name != "normal" and codec.recognises(result.raw)]
    assert len(owners) == 1
    assert CODECS[owners[0]].decode(result.raw) == result.response


@EVERYBODY
@WAYS
def test_the_request_arrives_as_it_was_meant(provider: str, stream: bool) -> None:
    with ScriptedModel.from_answers(BOOKED) as server:
        answered(ask_at(server.url, provider, stream=stream))
    (received,) = server.requests
    assert received.streamed is stream
    assert (received.request.model, received.request.system) == (REQUEST.model, REQUEST.system)
    assert received.request.messages == REQUEST.messages
    assert [(tool.name, tool.parameters) for tool in received.request.tools] == [
        (tool.name, tool.parameters) for tool in REQUEST.tools
    ]


@pytest.mark.parametrize("provider", ["openai", "openai-compatible", "anthropic"])
def test_settings_the_client_has_never_heard_of_are_sent(provider: str) -> None:
    asked = msgspec.structs.replace(REQUEST, extra={"brand_new_setting": {"level": 3}})
    with ScriptedModel.from_answers(BOOKED) as server:
        answered(ask_at(server.url, provider, request=asked))
    assert server.requests[0].body["brand_new_setting"] == {"level": 3}


def test_calls_without_arguments_have_none() -> None:
    response = answered(ask_scripted("openai", {"tool_calls": [{"name": "book", "id": "c1"}]})).response
    assert response.tool_calls == (CallAsked(name="book", arguments={}, id="c1"),)


def test_a_setting_that_a_client_refuses_is_a_bad_request() -> None:
    asked = msgspec.structs.replace(REQUEST, extra={"brand_new_setting": 3})
    result = failed(ask_at("http://127.0.0.1:1", "gemini", request=asked))
    assert (result.kind, result.attempts) == ("bad_request", 1)
    assert "the client of Gemini refuses it: `brand_new_setting`" in result.message


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_a_text_that_is_no_unicode_is_a_failure_like_any_other(provider: str) -> None:
    asked = msgspec.structs.replace(REQUEST, messages=(Message(role="user", content="half a \ud83d"),))
    with ScriptedModel.from_answers({"text": "pardon?", "times": "forever"}) as server:
        result = ask_at(server.url, provider, request=asked)
    assert isinstance(result, Answered) or result.kind == "bad_request"
