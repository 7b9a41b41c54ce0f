"""What our codecs write is what the official clients read, and their streams come to the same answers as ours."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.wire import CODECS, Request, Response, as_data, decode

from .answers import answers, objects, requests

whole = answers(arguments=objects)
"""Without malformed arguments: on some of those the clients themselves break."""


@cache
def adapted(module: str, name: str) -> Any:
    """What checks data against a type of a client's."""
    return pytest.importorskip("pydantic").TypeAdapter(vars(pytest.importorskip(module))[name])


@settings(max_examples=20)
@given(response=whole)
def test_chat_completions_are_the_client_s(response: Response) -> None:
    types = pytest.importorskip("openai.types.chat")
    parsed = types.ChatCompletion.model_validate(CODECS["openai_chat"].encode(response))
    assert decode(parsed) == response
    assert decode(as_data(parsed)) == response
    assert decode(parsed.model_dump()) == response


@settings(max_examples=20)
@given(response=whole)
def test_chunks_come_to_what_the_client_makes_of_them(response: Response) -> None:
    types = pytest.importorskip("openai.types.chat")
    streaming = pytest.importorskip("openai.lib.streaming.chat")
    codec = CODECS["openai_chat"]
    state = streaming.ChatCompletionStreamState()
    chunks = [types.ChatCompletionChunk.model_validate(event) for event in codec.stream(response)]
    for chunk in chunks:
        state.handle_chunk(chunk)
    assert decode(state.current_completion_snapshot) == decode(chunks) == response


@settings(max_examples=20)
@given(response=whole)
def test_responses_are_the_client_s(response: Response) -> None:
    types = pytest.importorskip("openai.types.responses")
    parsed = types.Response.model_validate(CODECS["openai_responses"].encode(response))
    assert decode(parsed) == response
    assert parsed.output_text == (response.content or "")


@settings(max_examples=20)
@given(response=whole)
def test_events_of_a_response_come_to_what_the_client_makes_of_them(response: Response) -> None:
    adapter = adapted("openai.types.responses", "ResponseStreamEvent")
    streaming = pytest.importorskip("openai.lib.streaming.responses._responses")
    omit = pytest.importorskip("openai").omit
    state = streaming.ResponseStreamState(input_tools=omit, text_format=omit)
    events = [adapter.validate_python(event) for event in CODECS["openai_responses"].stream(response)]
    last = [made for event in events for made in state.handle_event(event)][-1]
    assert decode(last.response) == decode(events) == response


@settings(max_examples=20)
@given(response=whole)
def test_messages_are_the_client_s(response: Response) -> None:
    types = pytest.importorskip("anthropic.types")
    parsed = types.Message.model_validate(CODECS["anthropic_messages"].encode(response))
    assert decode(parsed) == response
    assert decode(parsed.model_dump()) == response


@settings(max_examples=20)
@given(response=whole, size=st.integers(1, 30))
def test_events_of_a_message_come_to_what_the_client_makes_of_them(response: Response, size: int) -> None:
    adapter = adapted("anthropic.types", "RawMessageStreamEvent")
    accumulate = pytest.importorskip("anthropic.lib.streaming._messages").accumulate_event
    codec = CODECS["anthropic_messages"]
    snapshot, buffers = None, dict[int, bytes]()
    events = [adapter.validate_python(event) for event in codec.stream(response, size=size)]
    for event in events:
        snapshot = accumulate(event=event, current_snapshot=snapshot, json_bufs=buffers)
    assert decode(snapshot) == decode(events)
    assert codec.assemble([as_data(event) for event in events])["content"] == as_data(snapshot)["content"]


@settings(max_examples=20)
@given(response=whole)
def test_generated_content_is_the_client_s(response: Response) -> None:
    types = pytest.importorskip("google.genai.types")
    parsed = types.GenerateContentResponse.model_validate(CODECS["gemini"].encode(response))
    assert decode(parsed) == response
    assert decode(parsed.model_dump()) == response
    chunks = [types.GenerateContentResponse.model_validate(event) for event in CODECS["gemini"].stream(response)]
    assert decode(chunks) == response


CLIENTS = [
    ("openai_chat", "openai.types.chat.completion_create_params", "CompletionCreateParamsNonStreaming"),
    ("openai_responses", "openai.types.responses.response_create_params", "ResponseCreateParamsNonStreaming"),
    ("anthropic_messages", "anthropic.types.message_create_params", "MessageCreateParamsNonStreaming"),
]


@pytest.mark.parametrize(("name", "module", "type_"), CLIENTS, ids=[name for name, _, _ in CLIENTS])
@settings(max_examples=20)
@given(asked=requests)
def test_requests_are_what_the_client_takes(name: str, module: str, type_: str, asked: Request) -> None:
    adapted(module, type_).validate_python(CODECS[name].keywords(asked))


@settings(max_examples=20)
@given(asked=requests)
def test_requests_are_what_google_s_client_takes(asked: Request) -> None:
    types = pytest.importorskip("google.genai.types")
    given: Any = CODECS["gemini"].keywords(asked)
    for content in given["contents"]:
        types.Content.model_validate(content)
    config = types.GenerateContentConfig.model_validate(given["config"])
    read = CODECS["gemini"].read_request(given | {"config": as_data(config)})
    assert (read.tools, read.tool_choice, read.max_tokens) == (asked.tools, asked.tool_choice, asked.max_tokens)
