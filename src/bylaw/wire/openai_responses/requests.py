"""What the responses API takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bylaw.wire.request import Message, NotARequest, Request, Tool, settings
from bylaw.wire.response import arguments_text

_WORDS = frozenset({"auto", "none", "required"})


def request(asked: Request) -> dict[str, Any]:
    if asked.stop:
        raise NotARequest("the responses API of OpenAI has no stop sequences")
    body: dict[str, Any] = {
        **asked.extra,
        **settings(asked, model="model", temperature="temperature", max_tokens="max_output_tokens", top_p="top_p"),
        "input": [item for message in asked.messages for item in _items(message)],
    }
    if asked.system is not None:
        body["instructions"] = asked.system
    if asked.tools or asked.provider_tools:
        body["tools"] = [*map(_tool, asked.tools), *asked.provider_tools]
    if asked.tool_choice is not None:
        named = {"type": "function", "name": asked.tool_choice}
        body["tool_choice"] = asked.tool_choice if asked.tool_choice in _WORDS else named
    return body


keywords = request


def _items(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        yield {
            "type": "function_call_output",
            "call_id": message.tool_call_id,
            "output": message.content or "",
        }
        return
    if message.content is not None or message.parts or not message.tool_calls:
        content: Any = message.content or ""
        if message.parts:
            kind = "output_text" if message.role == "assistant" else "input_text"
            content = [*([{"type": kind, "text": content}] if content else []), *message.parts]
        yield {"role": message.role, "content": content}
    for call in message.tool_calls:
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": arguments_text(call.arguments),
        }


def _tool(tool: Tool) -> dict[str, Any]:
    """Not strict unless asked to be, as in chat completions; this API takes silence for yes."""
    described = {"description": tool.description} if tool.description else {}
    return {
        "type": "function",
        "name": tool.name,
        **described,
        "parameters": tool.parameters,
        "strict": False,
        **tool.extra,
    }
