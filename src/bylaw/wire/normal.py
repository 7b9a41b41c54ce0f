"""The normal form itself, and a chat message without the completion around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bylaw.wire.depth import deep_value
from bylaw.wire.failure import Failure
from bylaw.wire.reading import read_request
from bylaw.wire.request import Message, Request, Tool, settings
from bylaw.wire.response import CallAsked, NotAResponse, Response, arguments_value, asked_call
from bylaw.wire.sse import written_events

__all__ = [
    "assemble",
    "decode",
    "encode",
    "frames",
    "keywords",
    "name",
    "provider",
    "read_request",
    "recognises",
    "recognises_event",
    "refuse",
    "request",
    "stream",
]

name = "normal"
provider = "normal"


def recognises(raw: dict[str, Any]) -> bool:
    return "tool_calls" in raw or "content" in raw


def recognises_event(_: dict[str, Any]) -> bool:
    """The normal form has one event, which is the whole answer."""
    return False


def decode(raw: dict[str, Any]) -> Response:
    calls = raw.get("tool_calls")
    content, finish, usage = raw.get("content"), raw.get("finish_reason"), raw.get("usage")
    if isinstance(content, list):
        content = "".join([_text(part, "text") for part in content if isinstance(part, dict)])
    if content is not None and not isinstance(content, str):
        raise NotAResponse("not a response in normal form: `content` is not text")
    if calls is not None and not isinstance(calls, list | tuple):
        raise NotAResponse("not a response in normal form: `tool_calls` is not a list")
    if finish is not None and not isinstance(finish, str):
        raise NotAResponse("not a response in normal form: `finish_reason` is not text")
    return Response(
        id=_text(raw, "id"),
        model=_text(raw, "model"),
        content=content,
        tool_calls=tuple([_call(call) for call in calls or ()]),
        finish_reason=finish,
        usage=usage if isinstance(usage, dict) and not deep_value(usage) else {},
    )


def _text(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key)
    return value if isinstance(value, str) else ""


def _call(call: Any) -> CallAsked:
    if not isinstance(call, dict):
        raise NotAResponse("not a response in normal form: a call is not an object")
    function = call["function"] if isinstance(call.get("function"), dict) else call
    arguments = function.get("arguments", function.get("args"))
    return asked_call(name=function.get("name"), arguments=arguments, id=call.get("id"))


def encode(response: Response) -> dict[str, Any]:
    return {
        "id": response.id,
        "model": response.model,
        "content": response.content,
        "tool_calls": [_written_call(call) for call in response.tool_calls],
        "finish_reason": response.finish_reason,
        "usage": dict(response.usage),
    }


def _written_call(call: CallAsked) -> dict[str, Any]:
    return {"name": call.name, "arguments": arguments_value(call.arguments), "id": call.id}


def assemble(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if len(events) != 1:
        raise NotAResponse("a response in normal form is not streamed")
    return events[0]


def stream(response: Response, *, size: int = 24) -> Iterator[dict[str, Any]]:  # noqa: ARG001 (one event has it all)
    yield encode(response)


def frames(events: Iterable[dict[str, Any]]) -> Iterator[str]:
    return written_events(events)


def refuse(failure: Failure) -> dict[str, Any]:
    return {"error": {"type": failure.kind, "message": failure.message}}


def request(asked: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        **asked.extra,
        **settings(
            asked, model="model", temperature="temperature", max_tokens="max_tokens", top_p="top_p", stop="stop"
        ),
        "messages": [_message(message) for message in asked.messages],
    }
    if asked.system is not None:
        body["system"] = asked.system
    if asked.tools or asked.provider_tools:
        body["tools"] = [*map(_tool, asked.tools), *asked.provider_tools]
    if asked.tool_choice is not None:
        body["tool_choice"] = asked.tool_choice
    return body


keywords = request


def _message(message: Message) -> dict[str, Any]:
    content: Any = message.content
    if message.parts:
        content = [*([] if content is None else [{"type": "text", "text": content}]), *message.parts]
    written: dict[str, Any] = {"role": message.role, "content": content}
    if message.tool_calls:
        written["tool_calls"] = [_written_call(call) for call in message.tool_calls]
    if message.role == "tool":
        failed = {"is_error": True} if message.is_error else {}
        written |= {"tool_call_id": message.tool_call_id, "name": message.name, **failed}
    return written


def _tool(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters, **tool.extra}
