"""What a codec writes, whole or in a stream, is read as what it was; so is what it asks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.wire import CODECS, NotARequest, NotAResponse, Request, Response, decode, parsed, read_request, whose

from .answers import NAMES, answers, data, requests

STREAMED = [name for name in NAMES if name != "normal"]


@pytest.mark.parametrize("name", NAMES)
@given(response=answers())
def test_an_answer_is_read_as_it_was_written(name: str, response: Response) -> None:
    raw = CODECS[name].encode(response)
    assert CODECS[name].decode(raw) == response
    assert decode(raw, provider=name) == response
    assert whose(raw) == name


@pytest.mark.parametrize("name", NAMES)
@given(response=answers())
def test_what_is_written_is_json(name: str, response: Response) -> None:
    raw = CODECS[name].encode(response)
    assert decode(msgspec.json.encode(raw)) == response


@pytest.mark.parametrize("name", STREAMED)
@given(response=answers(), size=st.integers(1, 40))
def test_a_stream_comes_to_the_same_answer(name: str, response: Response, size: int) -> None:
    codec = CODECS[name]
    events = list(codec.stream(response, size=size))
    assert codec.decode(codec.assemble(events)) == response
    assert decode(events, provider=name) == response
    assert all(codec.recognises_event(event) for event in events)


@pytest.mark.parametrize("name", STREAMED)
@given(response=answers())
def test_the_text_of_a_stream_comes_to_the_same_answer(name: str, response: Response) -> None:
    codec = CODECS[name]
    text = "".join(codec.frames(codec.stream(response)))
    assert decode(text) == response
    assert decode(text.replace("\n", "\r\n").encode()) == response


@pytest.mark.parametrize("name", STREAMED)
@given(response=answers(), data=st.data())
def test_a_stream_that_stops_too_early_is_no_answer_or_the_whole_one(
    name: str, response: Response, data: st.DataObject
) -> None:
    codec = CODECS[name]
    text = "".join(codec.frames(codec.stream(response, size=5)))
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    try:
        found = decode(cut)
    except NotAResponse:
        return
    assert msgspec.structs.replace(found, usage={}) == msgspec.structs.replace(response, usage={})


@pytest.mark.parametrize("name", NAMES)
@given(asked=requests)
def test_a_request_is_read_as_it_was_written(name: str, asked: Request) -> None:
    codec = CODECS[name]
    assert codec.read_request(codec.request(asked)) == asked
    assert read_request(msgspec.json.decode(msgspec.json.encode(codec.request(asked)))) == asked


@given(asked=requests)
def test_a_request_of_one_provider_can_be_asked_of_another(asked: Request) -> None:
    for name in NAMES:
        asked = read_request(CODECS[name].request(asked))
    assert read_request(CODECS["openai_chat"].request(asked)) == asked


KEYS = ["choices", "message", "content", "tool_calls", "output", "candidates", "parts", "error", "type", "response"]
KEYS += ["body", "status", "headers", "object", "delta", "usage", "function", "events", "text", "input", "args"]
VALUES = ["response", "message", "text", "tool_use", "function_call", "message_start", "response.completed", "failed"]
shaped = st.recursive(
    st.sampled_from(VALUES) | st.integers(-1, 600) | st.none() | st.booleans() | st.just(""),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=400)
@given(raw=shaped | data)
def test_anything_is_an_answer_or_is_refused(raw: Any) -> None:
    for read in (decode, CODECS["gemini"].decode, CODECS["anthropic_messages"].decode):
        try:
            read(raw if read is decode or isinstance(raw, dict) else {"content": raw})
        except NotAResponse:
            continue


@settings(max_examples=200)
@given(events=st.lists(shaped, max_size=4), name=st.sampled_from(STREAMED))
def test_any_events_are_an_answer_or_are_refused(events: list[Any], name: str) -> None:
    with suppress(NotAResponse):
        CODECS[name].assemble([event for event in events if isinstance(event, dict)])
    whose(events)


@given(text=st.text() | st.binary())
def test_any_text_is_data_or_is_refused(text: str | bytes) -> None:
    try:
        parsed(text)
    except NotAResponse:
        return


ASKED = ["messages", "input", "contents", "role", "content", "parts", "tools", "function", "name", "parameters"]
ASKED += ["system", "text", "type", "tool_calls", "tool_choice", "functionDeclarations", "generationConfig", "stop"]
bodies = st.recursive(
    st.sampled_from(["user", "assistant", "tool", "function", "text", ""]) | st.integers(0, 2) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(ASKED), inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=300)
@given(body=bodies)
def test_any_body_is_a_request_or_is_refused(body: Any) -> None:
    try:
        read_request(body)
    except NotARequest:
        return
