"""What came back from a provider, read strictly: its own shape, whole, or a failure that says what it was instead."""

from __future__ import annotations

from typing import Any

from bylaw.models.provider import AttemptFailed, Body
from bylaw.wire import Codec, Failure, NotAResponse, ProviderFailed, Response, failure_in, parsed, whose

SHOWN = 80
"""So much of a body that is no answer is shown."""


def read_answer(codec: Codec, body: Body, *, stream: bool) -> tuple[dict[str, Any], Response]:
    """The answer as the provider spells it, assembled if it was streamed, and in normal form."""
    data = _data(body, stream=stream) if isinstance(body, bytes) else body
    raw = _assembled(codec, data) if isinstance(data, list) else data
    if not isinstance(raw, dict):
        raise _invalid("it is not a JSON object")
    if not codec.recognises(raw):
        raise _not_of(codec, raw)
    try:
        return raw, codec.decode(raw)
    except ProviderFailed as error:
        raise AttemptFailed(error.failure) from error
    except NotAResponse as error:
        raise _invalid(str(error)) from error


def _data(body: bytes, *, stream: bool) -> Any:
    try:
        return parsed(body)
    except NotAResponse as error:
        if stream and body.startswith((b"data:", b"event:")) and not body.endswith(b"\n\n"):
            raise _broken_off() from error
        begins = body[:SHOWN].decode(errors="replace")
        raise _invalid(f"it is not JSON, it begins with {begins!r}" if body else "it is empty") from error


def _assembled(codec: Codec, events: list[Any]) -> Any:
    if not all(isinstance(event, dict) for event in events):
        raise _invalid("an event of the stream is not an object")
    if not any(codec.recognises_event(event) for event in events):
        raise _not_of(codec, events[0]) if len(events) == 1 else _not_of(codec, events)
    try:
        return codec.assemble(events)
    except NotAResponse as error:
        raise _broken_off() from error


def _not_of(codec: Codec, found: Any) -> AttemptFailed:
    for event in found if isinstance(found, list) else [found]:
        failure = failure_in(event)
        if failure is not None:
            return AttemptFailed(failure)
    other = whose(found)
    looks = f": it looks like one of `{other}`" if other is not None and other != codec.name else ""
    return _invalid(f"it is not a response of `{codec.name}`{looks}")


def _broken_off() -> AttemptFailed:
    return AttemptFailed(Failure(kind="connection", message="the stream broke off before the answer was whole"))


def _invalid(message: str) -> AttemptFailed:
    return AttemptFailed(Failure(kind="invalid_response", message=message))
