"""What a client library hands out, as plain data."""

from __future__ import annotations

import base64
import enum
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec

from bylaw.wire.depth import DEEPEST
from bylaw.wire.response import NotAResponse

_DEEPEST = DEEPEST + 20
"""Arguments as deep as may be, and what is around them."""


@runtime_checkable
class _OfGoogle(Protocol):
    def to_json_dict(self) -> Any: ...


@runtime_checkable
class _OfModelClients(Protocol):
    def to_dict(self, *, mode: str, warnings: bool) -> Any: ...

    def model_dump(self, *, mode: str, warnings: bool) -> Any: ...


@runtime_checkable
class _Dumped(Protocol):
    def model_dump(self) -> Any: ...


@runtime_checkable
class _Dictionary(Protocol):
    def to_dict(self) -> Any: ...


def as_data(value: Any) -> Any:
    """JSON data for a client's object, or for containers with such objects in them."""
    return _data(value, 0)


def _data(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise NotAResponse(f"it is nested more than {_DEEPEST} levels deep, or contains itself")
    if isinstance(value, enum.Enum):
        return _data(value.value, depth + 1)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _data(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_data(inner, depth + 1) for inner in value]
    if isinstance(value, bytes | bytearray):
        return _text(bytes(value))
    return _data(_dumped(value), depth + 1)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


def _dumped(value: Any) -> Any:
    try:
        dumped: Any = value
        if isinstance(value, type):
            pass  # a class has the methods of its objects, and no data
        elif isinstance(value, msgspec.Struct):
            dumped = msgspec.structs.asdict(value)
        elif isinstance(value, _OfGoogle):
            dumped = value.to_json_dict()
        elif isinstance(value, _OfModelClients):
            dumped = value.to_dict(mode="json", warnings=False)
        elif isinstance(value, _Dumped):
            dumped = value.model_dump()
        elif isinstance(value, _Dictionary):
            dumped = value.to_dict()
    except Exception as error:
        raise NotAResponse(f"`{type(value).__name__}` can't be read as data: {error}") from error
    if dumped is value:
        raise NotAResponse(f"`{type(value).__name__}` can't be read as data")
    return dumped
