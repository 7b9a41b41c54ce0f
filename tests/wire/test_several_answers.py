"""Where there are several answers none is taken for the one, and nothing of a stream's only answer is missed."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.wire import NotARequest, NotAResponse, decode, read_request

DELETE = {"id": "c", "type": "function", "function": {"name": "delete", "arguments": "{}"}}


def choice(index: int, **message: Any) -> dict[str, Any]:
    return {"index": index, "message": {"role": "assistant", **message}, "finish_reason": "stop"}


def piece(index: int, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": index, "delta": delta, "finish_reason": finish}


def chunk(*choices: dict[str, Any]) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": list(choices)}


def candidate(index: int, text: str) -> dict[str, Any]:
    return {"index": index, "content": {"parts": [{"text": text}]}, "finishReason": "STOP"}


SEVERAL: dict[str, Any] = {
    "choices": {"choices": [choice(0, content="hi"), choice(1, tool_calls=[DELETE])]},
    "choices-reversed": {"choices": [choice(1, content="hi"), choice(0, tool_calls=[DELETE])]},
    "choices-streamed": [chunk(piece(0, {"content": "hi"}, "stop")), chunk(piece(1, {"tool_calls": [DELETE]}))],
    "choices-in-one-chunk": [chunk(piece(1, {"tool_calls": [DELETE]}), piece(0, {"content": "hi"}, "stop"))],
    "candidates": {"candidates": [candidate(0, "hi"), candidate(1, "other")]},
    "candidates-streamed": [{"candidates": [candidate(0, "hi")]}, {"candidates": [candidate(1, "other")]}],
    "candidates-in-one-chunk": [{"candidates": [candidate(1, "other"), candidate(0, "hi")]}],
}


@pytest.mark.parametrize("raw", SEVERAL.values(), ids=list(SEVERAL))
def test_several_answers_are_none(raw: Any) -> None:
    with pytest.raises(NotAResponse, match="has 2 answers; one is judged"):
        decode(raw)


def test_the_only_choice_is_taken_whatever_its_number() -> None:
    assert decode({"choices": [choice(3, content="hi")]}).content == "hi"
    assert decode([chunk(piece(3, {"content": "hi"}, "stop"))]).content == "hi"


@pytest.mark.parametrize("index", ["0", 0.0, [0]], ids=["text", "fraction", "list"])
def test_an_index_that_is_none_makes_no_answer(index: Any) -> None:
    with pytest.raises(NotAResponse, match="`index`"):
        decode([chunk({**piece(0, {"content": "hi"}, "stop"), "index": index})])


def test_an_empty_finish_reason_is_no_end() -> None:
    with pytest.raises(NotAResponse, match="cut off"):
        decode([chunk(piece(0, {"content": "hi"}, ""))])


def test_a_function_call_of_the_old_kind_is_streamed_too() -> None:
    deltas: list[dict[str, Any]] = [
        {"name": "delete", "arguments": ""},
        {"arguments": '{"id"'},
        {"arguments": ": 7}"},
    ]
    events = [chunk(piece(0, {"function_call": delta})) for delta in deltas]
    found = decode([*events, chunk(piece(0, {}, "function_call"))])
    assert [(call.name, call.arguments) for call in found.tool_calls] == [("delete", {"id": 7})]
    assert found.finish_reason == "tool_calls"


def nested(levels: int, key: str = "") -> Any:
    value: Any = {"type": "auto"} if key else ["text"]
    for _ in range(levels):
        value = {key: value} if key else [value]
    return value


@pytest.mark.parametrize(
    "body",
    [{"system": nested(900)}, {"tool_choice": nested(900, "function")}, {"system_instruction": nested(900, "parts")}],
    ids=["system", "tool_choice", "parts"],
)
def test_a_request_that_is_nested_too_deep_is_none(body: dict[str, Any]) -> None:
    with pytest.raises(NotARequest, match="too deep"):
        read_request(body)
