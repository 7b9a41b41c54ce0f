"""Spans of OpenTelemetry, from an OTLP export and as the SDK prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

_GROUPS = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """`began` only orders the spans of one trace. `events` have a name and attributes each."""

    id: str
    trace: str
    name: str = ""
    began: float = 0.0
    attributes: Mapping[str, Any] = {}
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    error: str | None = None


def is_export(value: Mapping[str, Any]) -> bool:
    return any(isinstance(value.get(key), list) for key in _GROUPS)


def is_span(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("context"), Mapping) or ("traceId" in value and "spanId" in value)


def exported_spans(value: Mapping[str, Any]) -> Iterator[Span]:
    """Everything below `resourceSpans`."""
    for group in _listed(value, *_GROUPS):
        for scope in _listed(group, *_SCOPES):
            for span in _listed(scope, "spans"):
                yield read_span(span)


def read_span(value: Mapping[str, Any]) -> Span:
    context = value.get("context")
    if isinstance(context, Mapping):
        return Span(
            id=_text(context.get("span_id")),
            trace=_text(context.get("trace_id")),
            name=_text(value.get("name")),
            began=moment(value.get("start_time")),
            attributes=_attributes(value.get("attributes")),
            events=tuple(_events(value)),
            error=_error(value.get("status")),
        )
    return Span(
        id=_text(value.get("spanId")),
        trace=_text(value.get("traceId")),
        name=_text(value.get("name")),
        began=moment(value.get("startTimeUnixNano")),
        attributes=_attributes(value.get("attributes")),
        events=tuple(_events(value)),
        error=_error(value.get("status")),
    )


def _events(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for event in _listed(value, "events"):
        yield _text(event.get("name")), _attributes(event.get("attributes"))


def _attributes(given: Any) -> Mapping[str, Any]:
    """As a mapping, or as OTLP's list of keys and typed values."""
    if isinstance(given, Mapping):
        return given
    entries = [entry for entry in given if isinstance(entry, Mapping)] if isinstance(given, list) else []
    return {_text(entry.get("key")): _value(entry.get("value")) for entry in entries}


def _value(given: Any) -> Any:
    match given:
        case {"stringValue": value} | {"boolValue": value} | {"doubleValue": value} | {"bytesValue": value}:
            return value
        case {"intValue": str() as digits} if digits.lstrip("-").isdecimal():
            return int(digits)
        case {"intValue": value}:
            return value
        case {"arrayValue": {"values": list() as values}}:
            return [_value(value) for value in values]
        case {"kvlistValue": {"values": list() as entries}}:
            return dict(_attributes(entries))
        case {"arrayValue": _}:
            return []
        case {"kvlistValue": _}:
            return {}
    return None


def _error(status: Any) -> str | None:
    """What the status says where it says that something failed."""
    match status:
        case {"status_code": "ERROR"} | {"code": 2 | "STATUS_CODE_ERROR"}:
            return _text(status.get("description", status.get("message"))) or "it failed"
    return None


def moment(given: Any) -> float:
    """Nanoseconds or a date; what is neither leaves the order as it is in the file."""
    try:
        if isinstance(given, str) and not given.isdecimal():
            return datetime.fromisoformat(given).timestamp()
        return float(given) / 1e9
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _listed(value: Mapping[str, Any], *keys: str) -> Iterator[Mapping[str, Any]]:
    for key in keys:
        found = value.get(key)
        for entry in found if isinstance(found, list) else ():
            if isinstance(entry, Mapping):
                yield entry


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
