"""Messages, in whichever provider's shape they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from bylaw.wire.depth import deep_value
from bylaw.wire.request import Message, NotARequest, Role
from bylaw.wire.response import CallAsked, asked_call, json_text

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_TEXTS = ("text", "input_text", "output_text")
_UNSENT = ("reasoning", "thinking", "redacted_thinking", "item_reference")


def read_messages(given: Any) -> tuple[Message, ...]:
    """A text alone is what the user says."""
    if isinstance(given, str):
        return (Message(role="user", content=given),)
    if not isinstance(given, list):
        raise NotARequest("the messages are not a list")
    read: list[Message] = []
    for entry in given:
        if not isinstance(entry, dict):
            raise NotARequest("a message is not an object")
        if deep_value(entry):
            raise NotARequest("a message is nested too deep")
        for message in _messages(entry):
            if entry.get("type") == "function_call" and read and read[-1].role == "assistant":
                read[-1] = msgspec.structs.replace(read[-1], tool_calls=(*read[-1].tool_calls, *message.tool_calls))
            else:
                read.append(message)
    return tuple(_linked(read))


def _messages(entry: dict[str, Any]) -> Iterator[Message]:
    kind = entry.get("type")
    if kind == "function_call":
        yield Message(role="assistant", tool_calls=(_call(entry),))
    elif kind == "function_call_output":
        yield _result(entry, entry.get("output"), id=entry.get("call_id"))
    elif "role" in entry or "parts" in entry:
        yield from _said(entry)
    elif kind not in _UNSENT:
        raise NotARequest("a message has no `role`")


def _said(entry: dict[str, Any]) -> Iterator[Message]:
    """One message, and before it the results of tools that some providers put into what the user says."""
    role = _ROLES.get(_text(entry.get("role", "user")))
    if role is None:
        raise NotARequest(f"a message has the role {entry.get('role')!r}; roles are {', '.join(_ROLES)}")
    content = entry.get("parts", entry.get("content"))
    if role == "tool" and "parts" not in entry:
        yield _result(entry, content, id=entry.get("tool_call_id"))
        return
    texts: list[str] = []
    calls = [_call(call) for call in _list(entry.get("tool_calls"))]
    if isinstance(entry.get("function_call"), dict):
        calls.append(_call(entry["function_call"]))
    others: list[Any] = []
    results = False
    for part in [content] if isinstance(content, str) else _list(content):
        match part:
            case str() | {"text": str()} if isinstance(part, str) or not part.get("thought"):
                texts.append(part if isinstance(part, str) else part["text"])
            case {"type": "tool_use"}:
                calls.append(_call(part))
            case {"functionCall": dict() as call} | {"function_call": dict() as call}:
                calls.append(_call(call))
            case {"type": "tool_result"}:
                results = True
                yield _result(part, part.get("content"), id=part.get("tool_use_id"))
            case {"functionResponse": dict() as answer} | {"function_response": dict() as answer}:
                results = True
                yield _result(answer, _returned(answer.get("response")), id=answer.get("id"))
            case {"thought": True} | {"type": "thinking" | "redacted_thinking" | "reasoning"}:
                continue
            case _:
                others.append(part)
    if texts or calls or others or not results:
        yield Message(
            role=role, content="".join(texts) if texts else None, tool_calls=tuple(calls), parts=tuple(others)
        )


def _call(call: Any) -> CallAsked:
    if not isinstance(call, dict):
        raise NotARequest("a tool call is not an object")
    function = call["function"] if isinstance(call.get("function"), dict) else call
    arguments = next((function[key] for key in ("arguments", "input", "args") if key in function), None)
    return asked_call(name=function.get("name"), arguments=arguments, id=call.get("call_id", call.get("id")))


def _result(entry: dict[str, Any], content: Any, *, id: Any) -> Message:  # noqa: A002 (the field's name)
    texts = [part for part in _list(content) if isinstance(part, dict) and part.get("type") in _TEXTS]
    if isinstance(content, list) and len(texts) == len(content):
        content = "".join(_text(part.get("text")) for part in texts)
    return Message(
        role="tool",
        content=content if isinstance(content, str) or content is None else json_text(content),
        tool_call_id=_text(id),
        name=_text(entry.get("name")),
        is_error=entry.get("is_error") is True,
    )


def _returned(response: Any) -> Any:
    """A result that is no object is wrapped in one for Google, by the name `result`."""
    match response:
        case {"result": str() as text} if len(response) == 1:
            return text
    return response


def _linked(messages: Iterable[Message]) -> Iterator[Message]:
    """With every call told from the others and every result belonging to one, whoever's shape they came in."""
    open_calls: list[CallAsked] = []
    number = 0
    for message in messages:
        if message.tool_calls:
            calls = []
            for call in message.tool_calls:
                number += 1
                calls.append(call if call.id else msgspec.structs.replace(call, id=f"call_{number}"))
            open_calls.extend(calls)
            yield msgspec.structs.replace(message, tool_calls=tuple(calls))
        elif message.role == "tool":
            yield _answering(message, open_calls)
        else:
            yield message


def _answering(result: Message, open_calls: list[CallAsked]) -> Message:
    for index, call in enumerate(open_calls):
        if call.id == result.tool_call_id or (not result.tool_call_id and result.name in ("", call.name)):
            del open_calls[index]
            return msgspec.structs.replace(result, tool_call_id=call.id, name=result.name or call.name)
    return result


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
