"""What the events of a stream mean for whoever waits until an answer is whole."""

from __future__ import annotations

from typing import Any

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})
_BLOCKS = frozenset({"message_start", "content_block_start", "content_block_delta"})
_SAID = ("content", "refusal", "tool_calls", "function_call")
_CALL_ITEMS = frozenset({"function_call", "custom_tool_call"})
_CALL_DONE = frozenset({"response.function_call_arguments.done", "response.custom_tool_call_input.done"})


def ends(event: Any) -> bool:
    """Whether a stream says with this event why it ended: what comes after adds nothing to the answer."""
    match event:
        case {"choices": list() as choices}:
            return any(_finished(choice) for choice in choices)
        case {"type": "message_delta", "delta": {"stop_reason": str() as reason}}:
            return bool(reason)
        case {"type": str() as kind}:
            return kind in _LAST
    return False


def _finished(choice: Any) -> bool:
    match choice:
        case {"finish_reason": str() as reason}:
            return bool(reason)
    return False


def adds(event: Any) -> bool:
    """Whether a stream says more with this event than it had said by its end."""
    match event:
        case {"choices": list() as choices}:
            return any(_speaks(choice) for choice in choices)
        case {"type": str() as kind}:
            return kind in _BLOCKS or kind.startswith("response.")
    return False


def _speaks(choice: Any) -> bool:
    match choice:
        case {"delta": dict() as delta}:
            return any(delta.get(key) for key in _SAID)
    return False


class Calls:
    """Tells the events with which a call is complete, though the answer is not."""

    def __init__(self) -> None:
        self._blocks: set[Any] = set()

    def complete(self, event: Any) -> bool:
        match event:
            case {"type": "content_block_start", "index": int() as index, "content_block": {"type": "tool_use"}}:
                self._blocks.add(index)
            case {"type": "content_block_stop", "index": int() as index}:
                return index in self._blocks
            case {"type": "response.output_item.done", "item": {"type": str() as kind}}:
                return kind in _CALL_ITEMS
            case {"type": str() as kind}:
                return kind in _CALL_DONE
        return False
