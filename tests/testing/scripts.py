"""Scripts that several tests serve, and what they come to in normal form."""

from __future__ import annotations

from typing import Any

from bylaw.wire import CallAsked

TEXT = "Your refund of 40 EUR is on its way; it takes up to five days."
PARALLEL: dict[str, Any] = {
    "text": "Let me look.",
    "tool_calls": [
        {"name": "get_order", "arguments": {"id": "A-17", "lines": [1, 2], "note": "größer ✓ " * 10}},
        {"name": "get_customer", "id": "mine"},
    ],
    "usage": {"input_tokens": 11, "output_tokens": 7},
}
PARALLEL_CALLS = (
    CallAsked(name="get_order", arguments={"id": "A-17", "lines": [1, 2], "note": "größer ✓ " * 10}, id="call_1_1"),
    CallAsked(name="get_customer", id="mine"),
)
