"""What an answer was given to: hashes of a request, to tell when it is no longer the one that was recorded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bylaw.formats.packs.json_files import Mistake
from bylaw.reader import near

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

_KEYS = ("model", *_PARTS)
_OUR_HASH = re.compile(r"sha256:[0-9a-f]{64}")


def mistakes_in(boundary: Any) -> Iterator[Mistake]:
    """What keeps a boundary from vouching for anything, all of it; keys are those below `boundary`."""
    if not isinstance(boundary, Mapping):
        yield Mistake(message="`boundary` is not an object")
        return
    for key, value in boundary.items():
        if key not in _KEYS:
            hint = near(key, _KEYS)
            yield Mistake(
                message=f"`{key}` in `boundary` is compared with nothing", keys=(key,), hint=hint, level="warning"
            )
        elif not isinstance(value, str):
            yield Mistake(message=f"`{key}` in `boundary` is not text", keys=(key,))
        elif key != "model" and not value.strip():
            yield Mistake(message=f"`{key}` in `boundary` is empty", keys=(key,))
        elif key != "model" and value.lower().startswith(OURS) and not _OUR_HASH.fullmatch(value):
            hint = f"`{OURS}` is followed by 64 digits, 0 to 9 and a to f"
            yield Mistake(message=f"`{key}` in `boundary` is cut off or mistyped", keys=(key,), hint=hint)


def is_ours(boundary: Mapping[str, Any]) -> bool:
    """Whether it has a hash that can be made again."""
    return any(_made_here(boundary.get(name)) for name in _PARTS)


def incomparable(boundary: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The hashes that others made and that nothing beside them says as well."""
    return [name for name in _PARTS if name in boundary and name not in other and not _made_here(boundary[name])]


def _made_here(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(OURS)


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
    if model and model != asked and (asked or is_ours(boundary)):
        yield _WORDS["model"]
    for name, part in _PARTS.items():
        recorded = boundary.get(name)
        if _made_here(recorded) and recorded != hash_of(_part(request, part)):
            yield _WORDS[part]


def disagreement(boundary: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """What two boundaries, whoever made them, say differently."""
    differ = [name for name in _KEYS if name in boundary and name in other and boundary[name] != other[name]]
    return list(dict.fromkeys(_WORDS[_PARTS.get(name, name)] for name in differ))
