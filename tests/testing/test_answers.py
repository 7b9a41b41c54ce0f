"""What the official clients make of a scripted answer, whole and streamed."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.testing import ScriptedModel
from bylaw.wire import CallAsked, Response

from .clients import APIS, ask
from .scripts import PARALLEL, PARALLEL_CALLS, TEXT

STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
EVERY_API = pytest.mark.parametrize("api", APIS)


def said(answer: dict[str, Any], api: str, *, streamed: bool) -> Response:
    with ScriptedModel.from_answers(answer) as model:
        return ask(model, api, streamed=streamed)


@EVERY_API
@STREAMED
def test_text(api: str, streamed: bool) -> None:
    answer = said({"text": TEXT}, api, streamed=streamed)
    assert (answer.content, answer.tool_calls, answer.finish_reason) == (TEXT, (), "stop")
    assert answer.model == "m"


@EVERY_API
@STREAMED
def test_parallel_calls_beside_text(api: str, streamed: bool) -> None:
    answer = said(PARALLEL, api, streamed=streamed)
    assert (answer.content, answer.finish_reason) == ("Let me look.", "tool_calls")
    assert answer.tool_calls == PARALLEL_CALLS
    assert answer.usage == {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}


@EVERY_API
@STREAMED
@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_another_reason_to_stop(api: str, streamed: bool, reason: str) -> None:
    assert said({"text": "I", "finish_reason": reason}, api, streamed=streamed).finish_reason == reason


@EVERY_API
@STREAMED
def test_an_empty_text(api: str, streamed: bool) -> None:
    assert said({"text": ""}, api, streamed=streamed).content == ""


@EVERY_API
@STREAMED
def test_tokens_are_estimated_where_the_script_says_none(api: str, streamed: bool) -> None:
    usage = said({"text": "eight ch"}, api, streamed=streamed).usage
    assert usage == {"input_tokens": 2, "output_tokens": 2, "total_tokens": 4}


MALFORMED = ['{"id": ', "not json", "[1, 2]", '"text"', '{"a": 1, "a": 2}x']


@pytest.mark.parametrize("api", ["openai_chat", "openai_responses"])
@STREAMED
@pytest.mark.parametrize("raw", [*MALFORMED, "", " ", '{"spaced":  1}'])
def test_raw_arguments_go_out_letter_by_letter(api: str, streamed: bool, raw: str) -> None:
    import openai

    script = {"tool_calls": [{"name": "get", "raw_arguments": raw}, {"name": "put", "arguments": {"a": 1}}]}
    with (
        ScriptedModel.from_answers(script) as model,
        openai.OpenAI(base_url=model.base_url(api), api_key="x") as client,
    ):
        got: list[str] = []
        if api == "openai_chat" and streamed:
            with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "x"}]) as stream:
                calls = stream.get_final_completion().choices[0].message.tool_calls
                got = [call.function.arguments for call in calls or ()]
        elif api == "openai_chat":
            whole = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
            got = [
                call.function.arguments
                for call in whole.choices[0].message.tool_calls or ()
                if call.type == "function"
            ]
        elif streamed:
            with client.responses.stream(model="m", input="x") as events:
                done = [event for event in events if event.type == "response.function_call_arguments.done"]
                got = [event.arguments for event in done]
        else:
            items = client.responses.create(model="m", input="x").output
            got = [item.arguments for item in items if item.type == "function_call"]
    assert got == [raw, '{"a":1}']


@pytest.mark.parametrize("raw", MALFORMED)
@STREAMED
def test_anthropic_has_them_as_the_text_they_are(raw: str, streamed: bool) -> None:
    (call,) = said(
        {"tool_calls": [{"name": "get", "raw_arguments": raw}]}, "anthropic_messages", streamed=streamed
    ).tool_calls
    expected: Any = {"[1, 2]": [1, 2], '"text"': "text"}.get(raw, raw)
    assert call == CallAsked(name="get", arguments=call.arguments, id="call_1_1")
    assert call.arguments in (raw, expected)


@pytest.mark.parametrize("raw", MALFORMED)
@STREAMED
def test_google_tells_that_it_can_t_read_them(raw: str, streamed: bool) -> None:
    answer = said({"tool_calls": [{"name": "get", "raw_arguments": raw}]}, "gemini", streamed=streamed)
    assert answer.finish_reason == "tool_calls"
    assert [call.name for call in answer.tool_calls] == [""]


@EVERY_API
@STREAMED
def test_a_call_without_a_name(api: str, streamed: bool) -> None:
    answer = said({"tool_calls": [{"name": "", "arguments": {"a": 1}}]}, api, streamed=streamed)
    assert answer.tool_calls == (CallAsked(name="", arguments={"a": 1}, id="call_1_1"),)
