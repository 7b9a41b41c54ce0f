"""The normal form of what a model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from bylaw.wire.response import CallAsked

Role = Literal["system", "user", "assistant", "tool"]


def no_parameters() -> dict[str, Any]:
    return {"type": "object", "properties": {}}


class NotARequest(ValueError):
    """Something that can't be read as a request, or asked of this provider; the message says why."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message. `parts` are those that are no text (images, files), in the shape they came in.

    A tool's result names the call it answers, by `tool_call_id`, and the tool.
    """

    role: Role
    content: str | None = None
    tool_calls: tuple[CallAsked, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    is_error: bool = False
    parts: tuple[Any, ...] = ()


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A function the model may ask for; `extra` is what else was said of it, such as `strict`."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = msgspec.field(default_factory=no_parameters)
    extra: Mapping[str, Any] = {}


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """`tool_choice` is `auto`, `none`, `required`, or the name of the tool that must be called.

    `provider_tools` are tools the provider runs itself, and `extra` is everything else that was asked, both as they
    came.
    """

    model: str = ""
    system: str | None = None
    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_choice: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    provider_tools: tuple[Any, ...] = ()
    extra: Mapping[str, Any] = {}


def settings(asked: Request, **named: str) -> dict[str, Any]:
    """The given settings of a request under the names a provider has for them."""
    values: dict[str, Any] = {
        "model": asked.model or None,
        "temperature": asked.temperature,
        "max_tokens": asked.max_tokens,
        "top_p": asked.top_p,
        "stop": list(asked.stop) or None,
    }
    return {name: values[key] for key, name in named.items() if values[key] is not None}


def all_system(asked: Request) -> str | None:
    """For providers that know one instruction before everything: all of them, joined."""
    said = [asked.system, *(message.content for message in asked.messages if message.role == "system")]
    texts = [text for text in said if text is not None]
    return "\n\n".join(texts) if texts else None
