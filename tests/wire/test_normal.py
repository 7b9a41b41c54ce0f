"""An answer in normal form is taken as it is, and anything else is refused with what it has."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bylaw.wire import CallAsked, NotAResponse, Response, decode, tool_calls

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
data = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(texts, data, max_size=2) | st.lists(data, max_size=2) | st.sampled_from([1, True, "{"])
responses = st.builds(
    Response,
    id=texts,
    model=texts,
    content=st.none() | texts,
    tool_calls=st.lists(st.builds(CallAsked, name=texts, arguments=arguments, id=texts), max_size=2).map(tuple),
    finish_reason=st.none() | texts,
    usage=st.dictionaries(texts, data, max_size=2),
)


@given(response=responses)
def test_the_normal_form_is_read_as_itself(response: Response) -> None:
    assert decode(msgspec.to_builtins(response)) == response
    calls = tool_calls(response)
    assert [call.tool for call in calls] == [call.name for call in response.tool_calls]
    for call, wanted in zip(calls, response.tool_calls, strict=True):
        assert (call.malformed is None) == (isinstance(wanted.arguments, dict) and wanted.name != "")


def asking(arguments: Any) -> Response:
    return Response(tool_calls=(CallAsked(name="a", arguments=arguments),))


@pytest.mark.parametrize(
    ("raw", "response"),
    [
        ({"content": "hi"}, Response(content="hi")),
        ({"tool_calls": []}, Response()),
        ({"tool_calls": [{"name": "a"}]}, Response(tool_calls=(CallAsked(name="a"),))),
        ({"content": None, "extra": 1}, Response()),
        ({"tool_calls": [{"name": "a", "arguments": '{"x": 1}'}]}, asking({"x": 1})),
        ({"tool_calls": [{"name": "a", "arguments": ""}]}, asking({})),
        ({"tool_calls": [{"name": "a", "arguments": None}]}, asking({})),
        ({"tool_calls": [{"name": "a", "arguments": "{"}]}, asking("{")),
    ],
)
def test_what_is_left_out_has_its_default_and_arguments_may_be_written_as_text(
    raw: dict[str, Any], response: Response
) -> None:
    assert decode(raw) == response


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (None, "a response is a JSON object"),
        ([], "a response is a JSON object, or the events of a stream"),
        ("text", "the recording is not JSON: "),
        ({}, "not a response of a known provider: it has no keys"),
        ({"errors": {}, "code": 1}, "not a response of a known provider: it has the keys `errors`, `code`"),
        ({"choices": {}}, "not a response of a known provider: it has the keys `choices`"),
        ({"content": 5}, "not a response in normal form: "),
        ({"tool_calls": [1]}, "not a response in normal form: "),
        ({"content": "", "finish_reason": 1}, "not a response in normal form: "),
        ({"tool_calls": "no"}, "not a response in normal form: "),
    ],
)
def test_what_is_no_response_is_refused(raw: Any, reason: str) -> None:
    with pytest.raises(NotAResponse) as raised:
        decode(raw)
    assert str(raised.value).startswith(reason)


@given(
    raw=data
    | st.fixed_dictionaries({"choices": data})
    | st.fixed_dictionaries({}, optional={"content": data, "tool_calls": data})
)
def test_anything_is_a_response_or_is_refused(raw: Any) -> None:
    try:
        response = decode(raw)
    except NotAResponse:
        return
    assert len(tool_calls(response)) == len(response.tool_calls)
