"""OpenAI's chat completions in normal form, whatever servers make of them."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.wire import CallAsked, NotAResponse, Response, decode, tool_calls


def said(message: Any, **more: Any) -> dict[str, Any]:
    return {"id": "r1", "model": "m", "choices": [{"message": message, "finish_reason": "stop"}], **more}


def asked(arguments: Any, *, name: Any = "get", **more: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def test_a_whole_answer() -> None:
    raw = said(
        {"role": "assistant", "content": None, "tool_calls": [asked('{"city": "Köln"}'), asked("{}", name="put")]},
        usage={"total_tokens": 7},
        created=1,
    )
    assert decode(raw) == Response(
        id="r1",
        model="m",
        content=None,
        tool_calls=(
            CallAsked(id="c1", name="get", arguments={"city": "Köln"}),
            CallAsked(id="c1", name="put", arguments={}),
        ),
        finish_reason="tool_calls",
        usage={"total_tokens": 7},
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hello", "hello"),
        ("", ""),
        (None, None),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "b"}], "b"),
        ([{"type": "text", "text": None}, "loose", 1], ""),
        (5, None),
        ({"text": "a"}, None),
    ],
)
def test_content(content: Any, text: str | None) -> None:
    assert decode(said({"content": content})).content == text


def test_an_answer_may_leave_out_nearly_everything() -> None:
    assert decode({"choices": [{"message": {}}]}) == Response()
    odd = {"id": 5, "model": None, "choices": [{"message": {"tool_calls": None}, "finish_reason": 3}], "usage": [1]}
    assert decode(odd) == Response()


DEEP = "[" * 100_000
ARGUMENTS: list[tuple[Any, Any, str | None]] = [
    # as they came, in normal form, and as malformed evidence
    ('{"a": 1}', {"a": 1}, None),
    (' {"a": {"b": [null]}} ', {"a": {"b": [None]}}, None),
    ("", {}, None),
    ("  \n", {}, None),
    (None, {}, None),
    ({"a": 1}, {"a": 1}, None),
    ({}, {}, None),
    ('{"a": ', '{"a": ', '{"a": '),
    ("{'a': 1}", "{'a': 1}", "{'a': 1}"),
    ("not json", "not json", "not json"),
    ("[1, 2]", [1, 2], "[1,2]"),
    ('"text"', "text", "text"),
    ("null", None, "null"),
    ("5", 5, "5"),
    ("NaN", "NaN", "NaN"),
    ([1], [1], "[1]"),
    (5, 5, "5"),
    (False, False, "false"),
    (DEEP, DEEP, DEEP),
    ('{"a": "\ud83d"}', '{"a": "\ud83d"}', '{"a": "\ud83d"}'),
]


@pytest.mark.parametrize(("arguments", "normal", "malformed"), ARGUMENTS, ids=range(len(ARGUMENTS)))
def test_arguments(arguments: Any, normal: Any, malformed: str | None) -> None:
    response = decode(said({"tool_calls": [asked(arguments)]}))
    (call,) = response.tool_calls
    assert call.arguments == normal
    (evidence,) = tool_calls(response)
    assert (evidence.tool, evidence.id, evidence.malformed) == ("get", "c1", malformed)
    assert evidence.args == (normal if malformed is None else {})


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"choices": []}, "`choices` is empty"),
        ({"choices": [1]}, "`choices[0].message` is not an object"),
        ({"choices": [{}]}, "`choices[0].message` is not an object"),
        ({"choices": [{"message": "hi"}]}, "`choices[0].message` is not an object"),
        (
            {"choices": [{"delta": {"content": "h"}}]},
            "this is one chunk of a stream: the recording is cut off",
        ),
        (said({"tool_calls": [1]}), "a tool call is not an object"),
        (said({"tool_calls": 5}), "`choices[0].message.tool_calls` is not a list"),
        (said({"tool_calls": {"function": {"name": "x"}}}), "`choices[0].message.tool_calls` is not a list"),
    ],
)
def test_what_can_t_be_read_is_said(raw: Any, reason: str) -> None:
    with pytest.raises(NotAResponse) as raised:
        decode(raw)
    assert str(raised.value) == reason


@pytest.mark.parametrize("call", [{}, {"function": {"arguments": "{}"}}, asked("{}", name=None), asked("{}", name=5)])
def test_a_call_without_a_name_is_kept(call: dict[str, Any]) -> None:
    (found,) = decode(said({"tool_calls": [call]})).tool_calls
    assert (found.name, found.arguments) == ("", {})
