"""The methods of the official clients by which an answer comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from bylaw.errors import Misuse

Kind = Literal["answer", "raw", "manager"]
"""What a method gives: the answer or a stream of it, a raw response with the answer in it, or a context in which it
is streamed."""

_CHAT = ("chat.completions", "beta.chat.completions")
_MESSAGES = ("messages", "beta.messages")
_UNSEEN = frozenset({"with_raw_response", "with_streaming_response", "stream", "tool_runner"})

_OPENAI: Mapping[str, Kind] = {
    **{f"{road}.{method}": "answer" for road in (*_CHAT, "responses") for method in ("create", "parse")},
    **{
        f"{road}.with_raw_response.{method}": "raw"
        for road in (*_CHAT, "responses")
        for method in ("create", "parse")
    },
}
_ANTHROPIC: Mapping[str, Kind] = {
    **{f"{road}.{method}": "answer" for road in _MESSAGES for method in ("create", "parse")},
    **{f"{road}.with_raw_response.create": "raw" for road in _MESSAGES},
    **{f"{road}.stream": "manager" for road in _MESSAGES},
}
_CLIENTS: Mapping[str, Mapping[str, Kind]] = {"openai": _OPENAI, "anthropic": _ANTHROPIC}


def roads_of(client: Any) -> Mapping[str, Kind]:
    """By whose client it is, without importing any; raises `Misuse` for one nobody knows."""
    for kind in client.__class__.__mro__:
        roads = _CLIENTS.get(kind.__module__.split(".")[0])
        if roads is not None:
            return roads
    raise Misuse(f"`{type(client).__name__}` is no client of {' or '.join(_CLIENTS)}")


def unseen(path: str, roads: Mapping[str, Kind]) -> bool:
    """Whether answers of the methods above come this way as well, where nobody can look at them in passing."""
    resource, _, name = path.rpartition(".")
    if name not in _UNSEEN or any(road == path or road.startswith(f"{path}.") for road in roads):
        return False
    return not resource or any(road.startswith(f"{resource}.") for road in roads)
