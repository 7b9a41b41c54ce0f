"""The official clients, asking one thing by every road on which an answer is looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anthropic
import openai

from bylaw.testing import ScriptedModel

Change = Callable[[Any], Any]
MESSAGES: Any = [{"role": "user", "content": "refund A-17"}]
GOOD = {"tool_calls": [{"name": "refund", "arguments": {"order": "A-17", "amount": 20}}]}
TOO_MUCH = {"tool_calls": [{"name": "refund", "arguments": {"order": "A-17", "amount": 900}}]}


def openai_client(model: ScriptedModel) -> openai.OpenAI:
    return openai.OpenAI(base_url=model.base_url("openai"), api_key="x", max_retries=0)


def anthropic_client(model: ScriptedModel) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=model.base_url("anthropic"), api_key="x", max_retries=0)


def _chat(model: ScriptedModel, change: Change) -> Any:
    with change(openai_client(model)) as client:
        return client.chat.completions.create(model="m", messages=MESSAGES)


def _chat_streamed(model: ScriptedModel, change: Change) -> Any:
    with change(openai_client(model)) as client:
        return list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))


def _chat_raw(model: ScriptedModel, change: Change) -> Any:
    with change(openai_client(model)) as client:
        return client.chat.completions.with_raw_response.create(model="m", messages=MESSAGES).parse()


def _chat_copied(model: ScriptedModel, change: Change) -> Any:
    with change(openai_client(model)) as client:
        return client.with_options(timeout=30).chat.completions.create(model="m", messages=MESSAGES)


def _responses(model: ScriptedModel, change: Change) -> Any:
    with change(openai_client(model)) as client:
        return client.responses.create(model="m", input="refund A-17")


def _responses_streamed(model: ScriptedModel, change: Change) -> Any:
    with change(openai_client(model)) as client:
        return list(client.responses.create(model="m", input="refund A-17", stream=True))


def _messages(model: ScriptedModel, change: Change) -> Any:
    with change(anthropic_client(model)) as client:
        return client.messages.create(model="m", max_tokens=100, messages=MESSAGES)


def _messages_streamed(model: ScriptedModel, change: Change) -> Any:
    with change(anthropic_client(model)) as client:
        return list(client.messages.create(model="m", max_tokens=100, messages=MESSAGES, stream=True))


def _message_context(model: ScriptedModel, change: Change) -> Any:
    with (
        change(anthropic_client(model)) as client,
        client.messages.stream(model="m", max_tokens=100, messages=MESSAGES) as stream,
    ):
        return stream.get_final_message()


def _message_events(model: ScriptedModel, change: Change) -> Any:
    with (
        change(anthropic_client(model)) as client,
        client.messages.stream(model="m", max_tokens=100, messages=MESSAGES) as stream,
    ):
        kept = [event.type for event in stream]
        assert "message_stop" in kept
        return stream.current_message_snapshot


def _async_chat(model: ScriptedModel, change: Change) -> Any:
    async def ask() -> Any:
        async with change(openai.AsyncOpenAI(base_url=model.base_url("openai"), api_key="x")) as client:
            return await client.chat.completions.create(model="m", messages=MESSAGES)

    return asyncio.run(ask())


def _async_chat_streamed(model: ScriptedModel, change: Change) -> Any:
    async def ask() -> Any:
        async with change(openai.AsyncOpenAI(base_url=model.base_url("openai"), api_key="x")) as client:
            stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
            return [chunk async for chunk in stream]

    return asyncio.run(ask())


def _async_responses(model: ScriptedModel, change: Change) -> Any:
    async def ask() -> Any:
        async with change(openai.AsyncOpenAI(base_url=model.base_url("openai"), api_key="x")) as client:
            return await client.responses.create(model="m", input="refund A-17")

    return asyncio.run(ask())


def _async_messages(model: ScriptedModel, change: Change) -> Any:
    async def ask() -> Any:
        async with change(anthropic.AsyncAnthropic(base_url=model.base_url("anthropic"), api_key="x")) as client:
            return await client.messages.create(model="m", max_tokens=100, messages=MESSAGES)

    return asyncio.run(ask())


def _async_message_context(model: ScriptedModel, change: Change) -> Any:
    async def ask() -> Any:
        async with (
            change(anthropic.AsyncAnthropic(base_url=model.base_url("anthropic"), api_key="x")) as client,
            client.messages.stream(model="m", max_tokens=100, messages=MESSAGES) as stream,
        ):
            return await stream.get_final_message()

    return asyncio.run(ask())


ROADS: dict[str, Callable[[ScriptedModel, Change], Any]] = {
    "chat": _chat,
    "chat-streamed": _chat_streamed,
    "chat-raw": _chat_raw,
    "chat-copied": _chat_copied,
    "responses": _responses,
    "responses-streamed": _responses_streamed,
    "messages": _messages,
    "messages-streamed": _messages_streamed,
    "message-context": _message_context,
    "message-events": _message_events,
    "async-chat": _async_chat,
    "async-chat-streamed": _async_chat_streamed,
    "async-responses": _async_responses,
    "async-messages": _async_messages,
    "async-message-context": _async_message_context,
}
