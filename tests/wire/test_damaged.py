"""Answers, streams and requests with one value swapped for another are read or refused, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from bylaw.wire import CODECS, NotARequest, NotAResponse, decode, read_request, tool_calls

from .payloads import RAW, SAME
from .test_requests import BODIES

JUNK: list[Any] = [
    None,
    0,
    -1,
    1.5,
    True,
    "",
    "x",
    "{",
    [],
    [1],
    ["x"],
    [[]],
    [{}],
    {},
    {"x": 1},
    {"type": []},
    {"text": 1},
]
GONE = object()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def swapped(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    key, *rest = path
    if isinstance(value, list):
        return [swapped(item, tuple(rest), junk) if index == key else item for index, item in enumerate(value)]
    new = {name: swapped(item, tuple(rest), junk) if name == key else item for name, item in value.items()}
    return {name: item for name, item in new.items() if item is not GONE}


def damaged(value: Any) -> Iterator[Any]:
    for path in places(value):
        for junk in JUNK if path == () else [*JUNK, GONE]:
            yield swapped(value, path, junk)


@pytest.mark.parametrize("name", RAW)
def test_a_damaged_answer(name: str) -> None:
    read = 0
    for raw in damaged(RAW[name]):
        with suppress(NotAResponse):
            response = decode(raw)
            read += len(tool_calls(response)) == len(response.tool_calls)
    assert read >= 500


@pytest.mark.parametrize("name", RAW)
def test_a_damaged_stream(name: str) -> None:
    read = 0
    for events in damaged(list(CODECS[name].stream(SAME, size=20))):
        with suppress(NotAResponse):
            read += decode(events).id == SAME.id
    assert read >= 100


@pytest.mark.parametrize("name", BODIES)
def test_a_damaged_request(name: str) -> None:
    asked = 0
    for body in damaged(BODIES[name]):
        with suppress(NotARequest):
            request = read_request(body)
            asked += all(codec.request(request) for codec in CODECS.values() if codec.name != "openai_responses")
    assert asked >= 500
