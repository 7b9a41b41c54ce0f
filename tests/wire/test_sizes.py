"""Arguments may be as deep or as long as a model makes them."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import pytest

from bylaw.wire import CODECS, CallAsked, NotAResponse, Response, decode, parsed, tool_calls

from .answers import NAMES

DEEP = '{"a":' * 1000 + "1" + "}" * 1000
STREAMED = [name for name in NAMES if name != "normal"]


def asking(arguments: Any) -> Response:
    return Response(tool_calls=(CallAsked(name="get", arguments=arguments, id="1"),), finish_reason="tool_calls")


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize("name", NAMES)
def test_deep_arguments_in_text_are_kept_as_they_came(name: str) -> None:
    (call,) = tool_calls(decode(CODECS[name].encode(asking(DEEP))))
    assert (call.tool, call.args, call.malformed) == ("get", {}, DEEP)


@pytest.mark.parametrize("name", ["anthropic_messages", "gemini", "normal"])
def test_deep_arguments_in_a_recording_are_malformed(name: str) -> None:
    text = msgspec.json.encode(CODECS[name].encode(asking({"swap": "me"}))).decode()
    (call,) = tool_calls(decode(text.replace('{"swap":"me"}', DEEP)))
    assert (call.tool, call.malformed) == ("get", "nested more than 100 levels deep")


@pytest.mark.parametrize("name", ["anthropic_messages", "gemini", "normal"])
def test_deep_arguments_in_an_object_are_malformed(name: str) -> None:
    deep = nested(sys.getrecursionlimit() * 2)
    (call,) = tool_calls(CODECS[name].decode(CODECS[name].encode(asking(deep))))
    assert call.malformed == "nested more than 100 levels deep"


@pytest.mark.parametrize(("depth", "fine"), [(99, True), (100, True), (101, False)])
def test_deep_begins_at_the_same_level_in_text_and_objects(depth: int, fine: bool) -> None:
    for given in (nested(depth), msgspec.json.encode(nested(depth)).decode()):
        (call,) = decode({"tool_calls": [{"name": "get", "arguments": given}]}).tool_calls
        assert isinstance(call.arguments, dict) == fine


def test_brackets_in_strings_are_not_depth() -> None:
    arguments = {"code": "[{" * 5000, 'quo"te': '\\"{'}
    text = msgspec.json.encode(arguments).decode()
    assert decode({"tool_calls": [{"name": "a", "arguments": text}]}).tool_calls[0].arguments == arguments
    assert parsed(text) == arguments


def test_a_deep_recording_that_is_cut_off() -> None:
    with pytest.raises(NotAResponse, match="the recording is cut off"):
        decode('{"choices": ' + DEEP[:4000])


@pytest.mark.parametrize("name", STREAMED)
def test_ten_megabytes_of_arguments(name: str) -> None:
    codec = CODECS[name]
    response = asking({"text": "xö" * 5_000_000})
    whole = codec.decode(codec.encode(response))
    streamed = codec.decode(codec.assemble(list(codec.stream(response, size=1000))))
    same = whole.tool_calls == streamed.tool_calls == response.tool_calls
    assert same


def test_numbers_of_any_length() -> None:
    digits = "1" * 10_000
    (call,) = tool_calls(decode({"tool_calls": [{"name": "a", "arguments": f'{{"n": {digits}}}'}]}))
    assert call.malformed is not None or call.args["n"]
