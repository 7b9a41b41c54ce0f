"""What the messages API takes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from bylaw.wire.anthropic_messages.answers import written_call
from bylaw.wire.request import Message, Request, Tool, all_system, settings

MOST_TOKENS = 4096
"""The API wants a limit; this is it where the request has none."""

_CHOICES = {"auto": "auto", "none": "none", "required": "any"}


def request(asked: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        **asked.extra,
        "max_tokens": MOST_TOKENS,
        **settings(
            asked,
            model="model",
            temperature="temperature",
            max_tokens="max_tokens",
            top_p="top_p",
            stop="stop_sequences",
        ),
        "messages": list(_messages(asked)),
    }
    system = all_system(asked)
    if system is not None:
        body["system"] = system
    if asked.tools or asked.provider_tools:
        body["tools"] = [*map(_tool, asked.tools), *asked.provider_tools]
    if asked.tool_choice is not None:
        body["tool_choice"] = _choice(asked.tool_choice)
    return body


keywords = request


def _messages(asked: Request) -> Iterator[dict[str, Any]]:
    """The results of calls made together must come together, as something the user says."""
    spoken = [message for message in asked.messages if message.role != "system"]
    for results, messages in groupby(spoken, lambda message: message.role == "tool"):
        if results:
            yield {"role": "user", "content": [_result(message) for message in messages]}
        else:
            yield from map(_message, messages)


def _message(message: Message) -> dict[str, Any]:
    if not message.tool_calls and not message.parts:
        return {"role": message.role, "content": message.content or ""}
    text = [{"type": "text", "text": message.content}] if message.content else []
    return {"role": message.role, "content": [*text, *message.parts, *map(written_call, message.tool_calls)]}


def _result(message: Message) -> dict[str, Any]:
    failed = {"is_error": True} if message.is_error else {}
    return {
        "type": "tool_result",
        "tool_use_id": message.tool_call_id,
        "content": message.content or "",
        **failed,
    }


def _tool(tool: Tool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "input_schema": tool.parameters, **tool.extra}


def _choice(choice: str) -> dict[str, str]:
    return {"type": _CHOICES[choice]} if choice in _CHOICES else {"type": "tool", "name": choice}
