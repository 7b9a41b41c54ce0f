"""The same behaviour has the same normal form, whoever's model showed it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bylaw.wire import CODECS, CallAsked, NotAResponse, Response, decode, tool_calls, whose

from .payloads import RAW, SAME

PROVIDERS = list(RAW)


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_as_the_api_sends_it(name: str) -> None:
    assert decode(RAW[name]) == SAME
    assert whose(RAW[name]) == name


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("asked", PROVIDERS)
def test_another_provider_s_answer_is_refused_by_name(name: str, asked: str) -> None:
    if CODECS[name].provider == CODECS[asked].provider:
        assert decode(RAW[name], provider=CODECS[asked].provider) == SAME
        return
    with pytest.raises(NotAResponse) as raised:
        decode(RAW[name], provider=asked)
    assert str(raised.value) == f"this is not a response of `{asked}`: it looks like one of `{name}`"


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "openai_chat"])
def test_the_normal_form_is_anybody_s(provider: str) -> None:
    assert decode({"content": "hi"}, provider=provider) == Response(content="hi")


def made(name: str, **changes: Any) -> dict[str, Any]:
    """What this provider sends for an answer of ours."""
    return CODECS[name].encode(Response(id="r", model="m", **changes))


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("given", "finish"),
    [
        ({"content": "hi"}, "stop"),
        ({"tool_calls": (CallAsked(name="a"),)}, "tool_calls"),
        ({"content": "hi", "finish_reason": "length"}, "length"),
        ({"content": "no", "finish_reason": "content_filter"}, "content_filter"),
        ({"tool_calls": (CallAsked(name="a"),), "finish_reason": "stop"}, "tool_calls"),
    ],
    ids=["text", "calls", "length", "filtered", "forced"],
)
def test_why_it_ended(name: str, given: dict[str, Any], finish: str) -> None:
    assert decode(made(name, **given)).finish_reason == finish


ENDINGS: list[tuple[str, str, str | None]] = [
    ("openai_chat", "function_call", "tool_calls"),
    ("openai_chat", "eos", "eos"),
    ("anthropic_messages", "stop_sequence", "stop"),
    ("anthropic_messages", "model_context_window_exceeded", "length"),
    ("anthropic_messages", "pause_turn", "pause_turn"),
    ("gemini", "RECITATION", "content_filter"),
    ("gemini", "PROHIBITED_CONTENT", "content_filter"),
    ("gemini", "OTHER", "other"),
    ("gemini", "FINISH_REASON_UNSPECIFIED", None),
    ("gemini", "UNEXPECTED_TOOL_CALL", "UNEXPECTED_TOOL_CALL"),
    ("openai_responses", "steered", "steered"),
]


@pytest.mark.parametrize(("name", "word", "finish"), ENDINGS)
def test_a_provider_s_own_word_for_it(name: str, word: str, finish: str | None) -> None:
    raw = made(name, content="hi", finish_reason=word)
    assert decode(raw).finish_reason == finish


def calling(name: str, arguments: Any) -> dict[str, Any]:
    """A call with these arguments as the provider would send them, taken from a good one."""
    raw = made(name, tool_calls=(CallAsked(name="get", arguments={"swap": "me"}, id="c1"),))
    text = msgspec.json.encode(raw).decode()
    in_text = name.startswith("openai")
    old = msgspec.json.encode('{"swap":"me"}').decode() if in_text else '{"swap":"me"}'
    assert old in text
    swapped: dict[str, Any] = msgspec.json.decode(text.replace(old, msgspec.json.encode(arguments).decode()))
    return swapped


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("arguments", ["", {}, None], ids=["empty", "object", "null"])
def test_empty_arguments(name: str, arguments: Any) -> None:
    (call,) = tool_calls(decode(calling(name, arguments)))
    assert (call.tool, call.args, call.malformed) == ("get", {}, None)


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("arguments", "malformed"),
    [('{"a": ', '{"a": '), ("no json", "no json"), ([1, "ö"], '[1,"ö"]'), (5, "5"), (True, "true")],
    ids=["cut", "text", "list", "number", "flag"],
)
def test_malformed_arguments_are_kept_as_they_came(name: str, arguments: Any, malformed: str) -> None:
    (call,) = tool_calls(decode(calling(name, arguments)))
    assert (call.tool, call.args, call.malformed) == ("get", {}, malformed)


@pytest.mark.parametrize("name", [*PROVIDERS, "normal"])
def test_a_call_without_a_name_is_a_call_that_can_t_be_made(name: str) -> None:
    raw = made(name, tool_calls=(CallAsked(name="", arguments={"a": 1}, id="c1"), CallAsked(name="get", id="c2")))
    nameless, named = tool_calls(decode(raw))
    assert (nameless.tool, nameless.args, nameless.id) == ("", {}, "c1")
    assert nameless.malformed == '{"name":"","arguments":{"a":1}}'
    assert (named.tool, named.malformed) == ("get", None)


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_without_anything(name: str) -> None:
    response = decode(made(name))
    assert (response.content, response.tool_calls) == (None, ())
