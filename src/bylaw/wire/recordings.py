"""What people keep of an answer: text, chunks, or an envelope with the answer in it."""

from __future__ import annotations

from typing import Any

import msgspec

from bylaw.wire.depth import flattened, unclosed
from bylaw.wire.response import NotAResponse
from bylaw.wire.retrying import header_values
from bylaw.wire.sse import looks_streamed, parsed_events

_INSIDE = ("response", "body", "result", "message", "events", "chunks", "raw", "string")
_STATUS = ("status", "status_code", "statusCode")


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What was inside, and what the envelope says of how the answer came."""

    inside: Any
    status: int | None = None
    headers: Any = None


def parsed(text: str | bytes) -> Any:
    """The data in a recording's text: JSON, or the events of a stream."""
    try:
        text = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotAResponse("the recording is not UTF-8 text") from error
    if not text.strip():
        raise NotAResponse("the recording is empty")
    if looks_streamed(text):
        return parsed_events(text)
    try:
        return msgspec.json.decode(flattened(text))
    except (msgspec.DecodeError, ValueError) as error:
        if unclosed(text):
            raise NotAResponse("the recording is cut off: its JSON does not end") from error
        raise NotAResponse(f"the recording is not JSON: {error}") from error


def opened(raw: dict[str, Any]) -> Envelope | None:
    """One envelope less, or None where this is none."""
    for key in _INSIDE:
        inside = raw.get(key)
        if isinstance(inside, dict | list) or (isinstance(inside, str | bytes) and key in ("body", "raw", "string")):
            return Envelope(inside=inside, status=_status(raw), headers=header_values(raw.get("headers")))
    status = _status(raw)
    if status is None or status < 400:
        return None
    return Envelope(inside="", status=status, headers=header_values(raw.get("headers")))


def _status(raw: dict[str, Any]) -> int | None:
    for key in _STATUS:
        match raw.get(key):
            case int() as status if not isinstance(status, bool):
                return status
            case {"code": int() as status}:
                return status
    return None
