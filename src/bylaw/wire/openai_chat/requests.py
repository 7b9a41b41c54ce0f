"""What chat completions take."""

from __future__ import annotations

from typing import Any

from bylaw.wire.openai_chat.answers import written_call
from bylaw.wire.request import Message, Request, Tool, settings

_WORDS = frozenset({"auto", "none", "required"})


def request(asked: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        **asked.extra,
        **settings(
            asked,
            model="model",
            temperature="temperature",
            max_tokens="max_completion_tokens",
            top_p="top_p",
            stop="stop",
        ),
        "messages": [_message(message) for message in _with_system(asked)],
    }
    if asked.tools or asked.provider_tools:
        body["tools"] = [*map(_tool, asked.tools), *asked.provider_tools]
    if asked.tool_choice is not None:
        body["tool_choice"] = _choice(asked.tool_choice)
    return body


keywords = request


def _with_system(asked: Request) -> tuple[Message, ...]:
    return asked.messages if asked.system is None else (Message(role="system", content=asked.system), *asked.messages)


def _message(message: Message) -> dict[str, Any]:
    content: Any = message.content
    if message.parts:
        text = [] if content is None else [{"type": "text", "text": content}]
        content = [*text, *message.parts]
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content or ""}
    written = {"role": message.role, "content": content}
    if message.tool_calls:
        written["tool_calls"] = [written_call(call) for call in message.tool_calls]
    return written


def _tool(tool: Tool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {
        "type": "function",
        "function": {"name": tool.name, **described, "parameters": tool.parameters, **tool.extra},
    }


def _choice(choice: str) -> Any:
    return choice if choice in _WORDS else {"type": "function", "function": {"name": choice}}
