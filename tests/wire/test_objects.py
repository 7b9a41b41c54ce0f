"""Objects of client libraries are read like the data they stand for."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from bylaw.wire import CallAsked, NotAResponse, Response, as_data, decode


class Why(enum.Enum):
    stop = "STOP"


class Dumps:
    """Like a pydantic model."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self.fields


class Jsons(Dumps):
    """Like Google's, which dump their enums only one way."""

    def to_json_dict(self) -> dict[str, Any]:
        return self.fields

    def model_dump(self) -> dict[str, Any]:
        raise AssertionError("the other way is asked for")


class Dicts:
    def to_dict(self) -> dict[str, Any]:
        return {"content": "hi"}


class Breaks:
    def model_dump(self) -> dict[str, Any]:
        raise RuntimeError("no")


def test_every_way_to_data() -> None:
    message = Dumps(content=None, tool_calls=[Dumps(id="1", function=Dumps(name="get", arguments="{}"))])
    called = Response(tool_calls=(CallAsked(name="get", id="1"),), finish_reason="tool_calls")
    assert decode(Dumps(choices=[Dumps(message=message, finish_reason="stop")])) == called
    assert decode(Dicts()) == Response(content="hi")
    part = {"function_call": {"name": "get", "id": "1", "args": {}}, "thought_signature": b"\xff\x00"}
    candidate = {"content": {"parts": [part]}, "finish_reason": Why.stop}
    assert decode(Jsons(candidates=(candidate,))) == called


def test_a_response_of_ours_is_read_as_itself() -> None:
    response = Response(content="hi", tool_calls=(CallAsked(name="get", arguments={"a": [1]}),))
    assert decode(response) == response


def test_bytes_are_text_where_they_can_be() -> None:
    assert as_data({"a": b"hi", "b": b"\xff", 5: (bytearray(b"x"), frozenset({1}))}) == {
        "a": "hi",
        "b": "/w==",
        "5": ["x", [1]],
    }


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "`object` can't be read as data"),
        (Breaks(), "`Breaks` can't be read as data: no"),
        (Dumps, "`type` can't be read as data"),
        ({"choices": object()}, "not a response of a known provider"),
        (lambda: None, "`function` can't be read as data"),
    ],
    ids=["object", "breaks", "class", "inside", "function"],
)
def test_what_is_no_data_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(NotAResponse) as raised:
        decode(value)
    assert str(raised.value).startswith(reason)


def test_what_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(NotAResponse, match="contains itself"):
        as_data(endless)
