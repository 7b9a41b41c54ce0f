"""Streams as servers send them, with their habits."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.wire import CODECS, CallAsked, NotAResponse, ProviderFailed, Response, decode, whose

Event = dict[str, Any]


def chunk(delta: Event, finish: str | None = None, **more: Any) -> Event:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **more}


def piece(arguments: str, **more: Any) -> Event:
    name = more.pop("name", None)
    return {**more, "function": {"arguments": arguments} | ({"name": name} if name else {})}


END = chunk({}, "tool_calls")
TWO = (CallAsked(name="a", arguments={"x": 1}, id="1"), CallAsked(name="b", arguments={}, id="2"))
NUMBERED = [
    chunk({"tool_calls": [piece("", index=0, id="1", name="a")]}),
    chunk({"tool_calls": [piece("", index=1, id="2", name="b"), piece('{"x"', index=0)]}),
    chunk({"tool_calls": [piece(": 1}", index=0)]}),
]
ALL_THE_SAME = [
    chunk({"tool_calls": [piece('{"x": 1}', index=0, id="1", name="a")]}),
    chunk({"tool_calls": [piece("{}", index=0, id="2", name="b")]}),
]
NOT_NUMBERED = [
    chunk({"tool_calls": [piece('{"x"', id="1", name="a")]}),
    chunk({"tool_calls": [piece(": 1}")]}),
    chunk({"tool_calls": [piece("", id="2", name="b")]}),
]


@pytest.mark.parametrize("events", [NUMBERED, ALL_THE_SAME, NOT_NUMBERED], ids=["numbered", "all 0", "none"])
def test_calls_in_pieces_of_chat(events: list[Event]) -> None:
    assert decode([*events, END]) == Response(id="r", model="m", tool_calls=TWO, finish_reason="tool_calls")


def test_reasoning_of_chat_is_passed_over() -> None:
    events = [
        chunk({"role": "assistant", "reasoning_content": "hm", "content": "a"}),
        chunk({"content": "b"}, "stop", usage=None),
        {"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
    ]
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    assert decode(events) == Response(id="r", model="m", content="ab", finish_reason="stop", usage=usage)


def test_all_of_it_may_come_in_one_chunk() -> None:
    whole = chunk(
        {"tool_calls": [piece('{"x": 1}', index=0, id="1", name="a"), piece("", index=1, id="2", name="b")]}
    )
    whole["choices"][0]["finish_reason"] = "tool_calls"
    assert decode([whole]) == decode([*NUMBERED, END])


def test_a_refusal_is_streamed_too() -> None:
    events = [chunk({"refusal": "I "}), chunk({"refusal": "can't."}), chunk({}, "stop")]
    assert (decode(events).content, decode(events).finish_reason) == ("I can't.", "content_filter")


def block(index: int, start: Event, *deltas: Event) -> list[Event]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def message(*blocks: list[Event]) -> list[Event]:
    usage = {"input_tokens": 9, "cache_read_input_tokens": 1, "output_tokens": 1}
    begun = {"id": "r", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    return [
        {"type": "message_start", "message": begun | {"stop_reason": None}},
        {"type": "ping"},
        *(event for events in blocks for event in events),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def json_delta(text: str) -> Event:
    return {"type": "input_json_delta", "partial_json": text}


def test_a_whole_stream_of_anthropic() -> None:
    events = message(
        block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "h"},
            {"type": "thinking_delta", "thinking": "m"},
            {"type": "signature_delta", "signature": "s"},
        ),
        block(1, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, json_delta('{"q": 1}')),
        block(2, {"type": "text", "text": ""}, {"type": "text_delta", "text": "a"}, {"type": "new_delta", "x": 1}),
        block(3, {"type": "tool_use", "id": "1", "name": "a", "input": {}}, json_delta('{"x"'), json_delta(": 1}")),
        block(4, {"type": "tool_use", "id": "2", "name": "b", "input": {}}, json_delta("")),
    )
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    wanted = Response(id="r", model="m", content="a", tool_calls=TWO, finish_reason="tool_calls", usage=usage)
    assert decode(events) == wanted
    raw = CODECS["anthropic_messages"].assemble(events)
    assert raw["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert raw["content"][1]["input"] == {"q": 1}


def test_malformed_pieces_of_arguments_are_kept() -> None:
    events = message(block(0, {"type": "tool_use", "id": "1", "name": "a", "input": {}}, json_delta('{"x": ')))
    assert decode(events).tool_calls == (CallAsked(name="a", arguments='{"x": ', id="1"),)


def test_a_last_event_without_output_is_filled_from_those_before() -> None:
    item = {"type": "function_call", "call_id": "2", "name": "b", "arguments": ""}
    events = [
        {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "model": "m", "status": "completed", "output": []}},
    ]
    assert decode(events) == Response(id="r", model="m", tool_calls=TWO[1:], finish_reason="tool_calls")


def content(*parts: Event, **more: Any) -> Event:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}], "modelVersion": "m"}


def test_chunks_of_google() -> None:
    events = [
        content({"text": "h", "thought": True}),
        content({"text": "m", "thought": True}, {"text": "a"}),
        content({"text": "b"}),
        content({"functionCall": {"id": "1", "name": "a", "args": {"x": 1}}}),
        content({"functionCall": {"id": "2", "name": "b"}}, {"text": "c"}),
        content({"text": ""}, finishReason="STOP") | {"usageMetadata": {"promptTokenCount": 1}},
    ]
    assert decode(events) == Response(
        model="m", content="abc", tool_calls=TWO, finish_reason="tool_calls", usage={"input_tokens": 1}
    )
    parts = CODECS["gemini"].assemble(events)["candidates"][0]["content"]["parts"]
    assert parts[:2] == [{"text": "hm", "thought": True}, {"text": "ab"}]


def test_a_blocked_prompt_ends_a_stream_of_google() -> None:
    assert decode([{"promptFeedback": {"blockReason": "SAFETY"}}]) == Response(finish_reason="content_filter")


def test_arguments_that_google_streams_in_pieces_are_not_guessed() -> None:
    call = {"name": "a", "partialArgs": [{"jsonPath": "$.x", "numberValue": 1}], "willContinue": True}
    with pytest.raises(NotAResponse, match="streamed in pieces"):
        decode([content({"functionCall": call}, finishReason="STOP")])


CUT: list[tuple[str, list[Event]]] = [
    ("openai_chat", NUMBERED),
    ("anthropic_messages", message()[:2]),
    ("openai_responses", [{"type": "response.created", "response": {"status": "in_progress"}}]),
    ("gemini", [content({"text": "a"})]),
]


@pytest.mark.parametrize(("name", "events"), CUT, ids=[name for name, _ in CUT])
def test_a_stream_without_its_end_is_cut_off(name: str, events: list[Event]) -> None:
    with pytest.raises(NotAResponse, match=f"the stream is cut off: none of its {len(events)} "):
        decode(events)
    assert whose(events) is None
    codec = CODECS[name]
    assert all(codec.recognises_event(event) for event in events)


BROKEN: list[tuple[str, list[Event], str]] = [
    ("openai_chat", [chunk({"content": "a"}), {"error": {"type": "server_error", "message": "x"}}], "server_error"),
    (
        "anthropic_messages",
        [*message()[:2], {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}],
        "server_error",
    ),
    (
        "openai_responses",
        [
            {"type": "response.created", "response": {}},
            {"type": "error", "code": "rate_limit_exceeded", "message": "x"},
        ],
        "rate_limit",
    ),
    ("gemini", [content({"text": "a"}), {"error": {"code": 504, "message": "x", "status": "y"}}], "timeout"),
]


@pytest.mark.parametrize(("name", "events", "kind"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_an_error_in_the_middle_of_a_stream(name: str, events: list[Event], kind: str) -> None:
    with pytest.raises(ProviderFailed) as raised:
        decode(events)
    assert (raised.value.failure.kind, raised.value.failure.message) == (kind, "x")


def test_values_that_are_no_events_are_refused() -> None:
    with pytest.raises(NotAResponse, match="3 values, and no events of a known provider's stream"):
        decode([{"a": 1}, {"b": 2}, {"c": 3}])
