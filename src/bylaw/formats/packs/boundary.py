"""What an answer was given to: hashes of a request, to tell when it is no longer the one that was recorded."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

OURS = "sha256:"
"""Begins the hashes made here. Others are opaque: they can be compared, not made again."""

_PARTS = {
    "tool_schema_hash": "tools",
    "messages_hash": "messages",
    "message_hash": "messages",
    "system_hash": "system",
}
_WORDS = {
    "tools": "the tools' schemas",
    "messages": "the messages",
    "system": "the system prompt",
    "model": "the model",
}


def canonical(value: Any) -> bytes:
    """The same bytes for the same JSON on every machine: keys in order, no blanks, whole numbers without a point."""
    return msgspec.json.encode(_plain(value), order="deterministic")


def _plain(value: Any) -> Any:
    match value:
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)
        case Mapping():
            return {str(key): _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case _:
            return value


def hash_of(value: Any) -> str:
    return OURS + hashlib.sha256(canonical(value)).hexdigest()


def boundary_of(request: Mapping[str, Any]) -> dict[str, str]:
    """What a golden file says of the request its answer was given to."""
    found = {"model": str(request.get("model") or "")}
    for name in ("tool_schema_hash", "messages_hash", "system_hash"):
        found[name] = hash_of(_part(request, _PARTS[name]))
    return found


def _part(request: Mapping[str, Any], part: str) -> Any:
    """A system prompt stands by itself or among the messages; either way it is hashed once, as the system."""
    messages = request.get("messages")
    messages = messages if isinstance(messages, list) else []
    is_system = [isinstance(message, Mapping) and message.get("role") == "system" for message in messages]
    if part == "messages":
        return [message for message, system in zip(messages, is_system, strict=True) if not system]
    if part == "system":
        said = [message.get("content") for message, system in zip(messages, is_system, strict=True) if system]
        alone = request.get("system")
        return [*([] if alone is None else [alone]), *said]
    return request.get(part) or []


def variance(boundary: Mapping[str, Any], request: Mapping[str, Any]) -> list[str]:
    """What of a request differs from what a boundary of ours vouches for."""
    return list(dict.fromkeys(_differing(boundary, request)))


def _differing(boundary: Mapping[str, Any], request: Mapping[str, Any]) -> Iterator[str]:
    model, asked = boundary.get("model"), request.get("model")
    if isinstance(model, str) and isinstance(asked, str) and model and asked and model != asked:
        yield _WORDS["model"]
    for name, part in _PARTS.items():
        recorded = boundary.get(name)
        if isinstance(recorded, str) and recorded.startswith(OURS) and recorded != hash_of(_part(request, part)):
            yield _WORDS[part]


def disagreement(boundary: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """What two boundaries, whoever made them, say differently."""
    names = ("model", *_PARTS)
    differ = [name for name in names if name in boundary and name in other and boundary[name] != other[name]]
    return list(dict.fromkeys(_WORDS[_PARTS.get(name, name)] for name in differ))
