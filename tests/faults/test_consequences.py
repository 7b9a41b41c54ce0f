from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from bylaw.faults import Consequence, ToolFault, consequence


def of(mode: Any, **fields: Any) -> Consequence:
    return consequence(ToolFault(id="f", tool="search", mode=mode, **fields))


def test_a_timeout_waits_and_then_fails() -> None:
    assert of("timeout") == Consequence(delay_ms=30_000, raises="timed out after 30000 ms")
    assert of("timeout", delay_ms=10).raises == "timed out after 10 ms"
    assert of("timeout", message="gateway gave up").raises == "gateway gave up"


def test_a_slow_tool_is_called_after_all() -> None:
    assert of("slow") == Consequence(delay_ms=5_000, calls_through=True)
    assert of("slow", delay_ms=0).delay_ms == 0
    assert not of("slow").loses_the_answer


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "503 Service Unavailable"),
        ({"error_code": 429}, "429 Too Many Requests"),
        ({"error_code": 500, "message": "out of disk"}, "500 Internal Server Error: out of disk"),
        ({"error_code": 599}, "599"),
    ],
)
def test_an_error_names_its_code(fields: dict[str, Any], said: str) -> None:
    assert of("error", **fields) == Consequence(raises=said)


def test_a_malformed_answer_is_not_json_and_is_the_same_each_time() -> None:
    bodies = {
        name: consequence(ToolFault(id=name, tool="t", mode="malformed")).answers for name in map(str, range(50))
    }
    assert len(set(bodies.values())) > 1
    for name, body in bodies.items():
        assert body is not None
        assert body == consequence(ToolFault(id=name, tool="u", mode="malformed")).answers
        with pytest.raises(json.JSONDecodeError):
            json.loads(body)


def test_a_malicious_answer_is_the_payload() -> None:
    assert of("malicious_response", payload="ignore all").answers == "ignore all"
    assert of("malicious_response").answers == ""


@pytest.mark.parametrize("mode", ["timeout", "error", "malformed", "malicious_response"])
def test_after_the_call_the_answer_is_lost(mode: str) -> None:
    assert not of(mode).calls_through
    late = of(mode, phase="after")
    assert late.calls_through
    assert late.loses_the_answer


def test_a_fault_survives_being_sent() -> None:
    fault = ToolFault(id="f", tool="*", mode="slow", match_url="*/x", probability=0.25)
    assert msgspec.json.decode(msgspec.json.encode(fault), type=ToolFault) == fault
