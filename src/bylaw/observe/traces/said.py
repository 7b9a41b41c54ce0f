"""What instrumentation writes of messages, in the shape that requests and answers are read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from bylaw.observe.traces.trace import ModelStep, Unusable
from bylaw.wire import CODECS, NotARequest, NotAResponse, Request, Response, read_request

NO_CONTENT = "a model call without its content: its instrumentation was not told to capture it"
NO_ARGUMENTS = (
    "a model call without the arguments of its tool calls: its instrumentation was not told to capture them"
)

_NORMAL = CODECS["normal"]
_ENDINGS = {
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
}


def parsed(value: Any) -> Any:
    """Attributes have no objects, so most of what is interesting is JSON in a text; another text stays one."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return value


def one_of_several(answer: Callable[[], ModelStep]) -> ModelStep | Unusable:
    """One of several answers, or what is wrong with it: that says nothing against the others."""
    try:
        return answer()
    except Unusable as error:
        return error


def numbered_id(id: str, number: int) -> str:  # noqa: A002 (the field's name)
    """What an answer beside others is called: the first as its span or run, each other by its number."""
    return f"{id}#{number}" if id and number > 1 else id


def request_of(body: Mapping[str, Any]) -> Request:
    try:
        return read_request({key: value for key, value in body.items() if value is not None})
    except NotARequest as error:
        raise Unusable(f"a model call whose request can't be read: {error}") from error


def response_of(message: Mapping[str, Any], **about: Any) -> Response:
    """The answer in a message of the assistant's: its text in `content`, its calls in `tool_calls`."""
    calls = message.get("tool_calls") or []
    if message.get("content") is None and not calls:
        raise Unusable(NO_CONTENT)
    if isinstance(calls, list) and any(isinstance(call, Mapping) and not _has_arguments(call) for call in calls):
        raise Unusable(NO_ARGUMENTS)
    ending = about.pop("finish_reason", None)
    if not isinstance(ending, str) or not ending:
        ending = "tool_calls" if calls else None
    raw = {
        "content": message.get("content"),
        "tool_calls": calls,
        "finish_reason": _ENDINGS.get(ending or "", ending),
    }
    try:
        return _NORMAL.decode({**about, **raw})
    except NotAResponse as error:
        raise Unusable(f"a model call whose answer can't be read: {error}") from error


def _has_arguments(call: Mapping[str, Any]) -> bool:
    function = call.get("function")
    return any("arguments" in place or "args" in place for place in (call, function) if isinstance(place, Mapping))


def first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)
