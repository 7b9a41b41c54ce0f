"""What only one provider does."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.wire import CODECS, CallAsked, NotAResponse, ProviderFailed, Response, decode

from .payloads import ANTHROPIC, GEMINI, RESPONSES


def test_a_refusal_in_chat_is_what_the_model_says() -> None:
    message = {"role": "assistant", "content": None, "refusal": "I can't."}
    response = decode({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert (response.content, response.finish_reason) == ("I can't.", "content_filter")


def test_a_refusal_in_responses_is_what_the_model_says() -> None:
    message = {"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]}
    response = decode({"object": "response", "status": "completed", "output": [message]})
    assert (response.content, response.finish_reason) == ("I can't.", "content_filter")


def test_a_refusal_of_anthropic_is_an_ending() -> None:
    raw = ANTHROPIC | {"content": [], "stop_reason": "refusal"}
    assert (decode(raw).content, decode(raw).finish_reason) == (None, "content_filter")


def test_a_prompt_that_google_blocks_has_no_candidates() -> None:
    response = decode({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}})
    assert response == Response(finish_reason="content_filter", usage={"input_tokens": 3})


def test_a_call_that_google_could_not_read_is_a_call() -> None:
    said = "Malformed function call: print(default_api.get(city=)"
    raw = {"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": said}]}
    assert decode(raw) == Response(tool_calls=(CallAsked(name="", arguments=said),), finish_reason="tool_calls")


def test_google_s_client_spells_the_keys_another_way() -> None:
    call = {"function_call": {"name": "get", "args": {"a": 1}}}
    raw = {
        "candidates": [{"content": {"parts": [call], "role": "model"}, "finish_reason": "STOP"}],
        "usage_metadata": {"prompt_token_count": 1, "candidates_token_count": 2, "total_token_count": 3},
        "model_version": "m",
        "response_id": "r",
    }
    assert decode(raw) == Response(
        id="r",
        model="m",
        tool_calls=(CallAsked(name="get", arguments={"a": 1}),),
        finish_reason="tool_calls",
        usage={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    )


@pytest.mark.parametrize(
    "raw",
    [
        {"choices": [{"message": {"function_call": {"name": "run", "arguments": '{"a": 1}'}}}]},
        {"tool_calls": [{"function": {"name": "run", "arguments": '{"a": 1}'}}]},
        {
            "role": "assistant",
            "tool_calls": [{"type": "function", "function": {"name": "run", "arguments": {"a": 1}}}],
        },
        {"message": {"role": "assistant", "tool_calls": [{"function": {"name": "run", "arguments": {"a": 1}}}]}},
        {
            "content": [{"type": "text", "text": ""}],
            "tool_calls": [{"name": "run", "args": {"a": 1}, "type": "tool_call"}],
        },
    ],
    ids=["the old function call", "half normal", "a message alone", "a local server's", "a framework's"],
)
def test_calls_in_older_and_nearby_shapes(raw: dict[str, Any]) -> None:
    assert decode(raw).tool_calls == (CallAsked(name="run", arguments={"a": 1}),)


@pytest.mark.parametrize(
    "raw",
    [
        {
            "choices": [
                {"message": {"tool_calls": [{"type": "custom", "id": "1", "custom": {"name": "sql", "input": "x"}}]}}
            ]
        },
        {"output": [{"type": "custom_tool_call", "call_id": "1", "name": "sql", "input": "x"}]},
    ],
    ids=["chat", "responses"],
)
def test_the_free_text_of_a_custom_tool_is_its_input(raw: dict[str, Any]) -> None:
    assert decode(raw).tool_calls == (CallAsked(name="sql", arguments={"input": "x"}, id="1"),)


def test_a_response_that_failed_is_an_error() -> None:
    raw = RESPONSES | {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "slow down"}}
    with pytest.raises(ProviderFailed) as raised:
        decode(raw)
    assert (raised.value.failure.kind, raised.value.failure.message) == ("rate_limit", "slow down")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (RESPONSES | {"status": "in_progress"}, "the response is not finished: the recording is cut off"),
        (RESPONSES | {"output": None}, "`output` is not a list"),
        (RESPONSES | {"output": [1]}, "an item of `output` is not an object"),
        (ANTHROPIC | {"content": ["hi"]}, "a block of `content` is not an object"),
        (GEMINI | {"candidates": []}, "`candidates` is empty"),
        (GEMINI | {"candidates": ["x"]}, "`candidates[0]` is not an object"),
        ({"candidates": [{"content": {"parts": [1]}}]}, "a part of the content is not an object"),
        ({"type": "message_start", "message": {}}, "this is one event of a stream: the recording is cut off"),
    ],
)
def test_what_can_t_be_read_is_said(raw: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotAResponse) as raised:
        decode(raw)
    assert str(raised.value) == reason


@pytest.mark.parametrize("name", ["openai_chat", "openai_responses", "anthropic_messages"])
def test_a_codec_says_what_is_missing(name: str) -> None:
    with pytest.raises(NotAResponse, match="is not a list"):
        CODECS[name].decode({})
