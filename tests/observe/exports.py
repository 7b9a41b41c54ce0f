"""Exports of traces, written as the tools that people use write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TRACE = "5b8aa5a2d2c872e8321cf37308d69df2"
CALL: dict[str, Any] = {"id": "c1", "name": "refund", "arguments": {"order": "A-17", "amount": 20}}
REFUND_TOOL = {"type": "function", "name": "refund", "parameters": {"type": "object", "properties": {}}}


def typed(value: Any) -> dict[str, Any]:
    """A value of an attribute as OTLP has it."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [typed(inner) for inner in value]}}
        case dict():
            return {"kvlistValue": {"values": attributes(value)}}
    return {"stringValue": value}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": typed(value)} for key, value in values.items()]


def span(id: str, began: int, values: dict[str, Any], events: Any = (), **more: Any) -> dict[str, Any]:  # noqa: A002 (a span's word)
    return {
        "traceId": TRACE,
        "spanId": id,
        "name": "span",
        "startTimeUnixNano": str(began),
        "attributes": attributes(values),
        "events": [{"name": name, "attributes": attributes(said)} for name, said in events],
        **more,
    }


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def chat(id: str = "a1", began: int = 1, *, parts: list[Any] | None = None, **values: Any) -> dict[str, Any]:  # noqa: A002 (a span's word)
    """A model call by the newest conventions."""
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt",
        "gen_ai.input.messages": json.dumps(
            [{"role": "user", "parts": [{"type": "text", "content": "refund A-17"}]}]
        ),
        "gen_ai.tool.definitions": json.dumps([REFUND_TOOL]),
        **values,
    }
    if parts is not None:
        said["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "parts": parts, "finish_reason": "stop"}])
    return span(id, began, said)


def asks(call: dict[str, Any]) -> list[Any]:
    return [{"type": "tool_call", **call}]


def says(text: str) -> list[Any]:
    return [{"type": "text", "content": text}]


def written(path: Path, *values: Any, indent: int | None = None) -> Path:
    path.write_text("\n".join(json.dumps(value, indent=indent) for value in values))
    return path
