"""What `generateContent` takes: the body of the API, and the keywords of the client."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec

from bylaw.wire.depth import deep_text
from bylaw.wire.gemini.answers import written_call
from bylaw.wire.request import Message, Request, Tool, all_system, settings
from bylaw.wire.response import CallAsked

_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}
_OUTSIDE = frozenset({"safetySettings", "cachedContent", "labels", "toolConfig", "serviceTier", "store"})
"""What the body has beside the settings; everything else that was asked is one."""

_SETTINGS = {
    "temperature": "temperature",
    "max_tokens": "maxOutputTokens",
    "top_p": "topP",
    "stop": "stopSequences",
}


def request(asked: Request) -> dict[str, Any]:
    """The model stands in the body here; the API has it in the address."""
    outside = {key: value for key, value in asked.extra.items() if key in _OUTSIDE}
    inside = {key: value for key, value in asked.extra.items() if key not in _OUTSIDE} | settings(asked, **_SETTINGS)
    return {
        **outside,
        **settings(asked, model="model"),
        "contents": _contents(asked),
        **_beside(asked),
        **({"generationConfig": inside} if inside else {}),
    }


def keywords(asked: Request) -> dict[str, Any]:
    config = {**asked.extra, **_beside(asked), **settings(asked, **_SETTINGS)}
    if asked.tools:
        config["automaticFunctionCalling"] = {"disable": True}
    return {**settings(asked, model="model"), "contents": _contents(asked), "config": config}


def _beside(asked: Request) -> dict[str, Any]:
    found: dict[str, Any] = {}
    system = all_system(asked)
    if system is not None:
        found["systemInstruction"] = {"parts": [{"text": system}]}
    if asked.tools or asked.provider_tools:
        declared = [{"functionDeclarations": [_tool(tool) for tool in asked.tools]}] if asked.tools else []
        found["tools"] = [*declared, *asked.provider_tools]
    if asked.tool_choice is not None:
        found["toolConfig"] = {"functionCallingConfig": _choice(asked.tool_choice)}
    return found


def _contents(asked: Request) -> list[dict[str, Any]]:
    """Results of calls made together come together, in the order of the calls: they have no ids."""
    spoken = [message for message in asked.messages if message.role != "system"]
    contents: list[dict[str, Any]] = []
    for results, messages in groupby(spoken, lambda message: message.role == "tool"):
        if results:
            contents.append({"role": "user", "parts": [_result(message) for message in messages]})
        else:
            contents.extend(
                {"role": "model" if message.role == "assistant" else "user", "parts": list(_parts(message))}
                for message in messages
            )
    return contents


def _parts(message: Message) -> Iterator[Any]:
    if message.content is not None or not (message.parts or message.tool_calls):
        yield {"text": message.content or ""}
    yield from message.parts
    for call in message.tool_calls:
        yield written_call(CallAsked(name=call.name, arguments=call.arguments))


def _result(message: Message) -> dict[str, Any]:
    return {"functionResponse": {"name": message.name, "response": _object(message.content or "")}}


def _object(text: str) -> dict[str, Any]:
    """An answer that is a JSON object goes as one; any other is the `result`."""
    try:
        found = None if deep_text(text) else msgspec.json.decode(text)
    except (msgspec.DecodeError, ValueError):
        found = None
    return found if isinstance(found, dict) and set(found) != {"result"} else {"result": text}


def _tool(tool: Tool) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, "parametersJsonSchema": tool.parameters, **tool.extra}


def _choice(choice: str) -> dict[str, Any]:
    return {"mode": _MODES[choice]} if choice in _MODES else {"mode": "ANY", "allowedFunctionNames": [choice]}
