"""Several turns, several conversations at once, blocking and awaiting."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import openai
import pytest
from google import genai

from bylaw.testing import ScriptedModel

TOOLS: Any = [{"type": "function", "function": {"name": "get_order", "parameters": {"type": "object"}}}]
CONVERSATION = """
kind: bylaw/model-script
answers:
  - when: { turn: 1, tools: [get_order] }
    tool_calls: [{ name: get_order, arguments: { id: A-17 } }]
    times: forever
  - when: { tool_result: get_order, result_contains: shipped }
    text: It is on its way.
    times: forever
"""


def converse(model: ScriptedModel) -> str | None:
    messages: list[Any] = [{"role": "user", "content": "Where is my order?"}]
    with openai.OpenAI(base_url=model.base_url("openai"), api_key="x") as client:
        while True:
            choice = client.chat.completions.create(model="m", messages=messages, tools=TOOLS).choices[0]
            if not choice.message.tool_calls:
                return choice.message.content
            messages.append(choice.message)
            messages.extend(
                {"role": "tool", "tool_call_id": call.id, "content": "shipped"} for call in choice.message.tool_calls
            )


def test_many_conversations_in_threads() -> None:
    with ScriptedModel.from_text(CONVERSATION) as model, ThreadPoolExecutor(8) as threads:
        said = list(threads.map(converse, [model] * 16))
    assert said == ["It is on its way."] * 16
    assert sorted(received.turn for received in model.requests) == [1] * 16 + [2] * 16
    assert [received.number for received in model.requests] == list(range(1, 33))
    model.verify()


def test_an_answer_is_given_as_often_as_it_says_whoever_asks_at_once() -> None:
    answers: list[Any] = [{"text": "a", "times": 5}, {"text": "b", "times": 7}]

    def asked(client: openai.OpenAI) -> str | None:
        messages: Any = [{"role": "user", "content": "x"}]
        return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

    with (
        ScriptedModel.from_answers(*answers) as model,
        openai.OpenAI(base_url=model.base_url("openai"), api_key="x") as client,
        ThreadPoolExecutor(8) as threads,
    ):
        said = list(threads.map(asked, [client] * 12))
    assert sorted(text or "" for text in said) == ["a"] * 5 + ["b"] * 7
    assert not model.unused


def test_a_response_goes_on_from_an_earlier_one() -> None:
    with (
        ScriptedModel.from_text(CONVERSATION) as model,
        openai.OpenAI(base_url=model.base_url("openai"), api_key="x") as client,
    ):
        tools: Any = [{"type": "function", "name": "get_order", "parameters": {"type": "object"}, "strict": False}]
        first = client.responses.create(model="m", input="Where is my order?", tools=tools)
        (call,) = first.output
        assert call.type == "function_call"
        result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "shipped"}
        second = client.responses.create(model="m", input=[result], previous_response_id=first.id)
        with pytest.raises(openai.BadRequestError, match="no previous response"):
            client.responses.create(model="m", input="x", previous_response_id="resp_99")
    assert second.output_text == "It is on its way."
    assert [message.role for message in model.requests[1].request.messages] == ["user", "assistant", "tool"]


async def _openai(model: ScriptedModel) -> list[str]:
    async with openai.AsyncOpenAI(base_url=model.base_url("openai"), api_key="x") as client:
        whole = await client.responses.create(model="m", input="x")
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}], stream=True
        )
        pieces = [chunk.choices[0].delta.content or "" async for chunk in stream]
    return [whole.output_text, "".join(pieces)]


async def _anthropic(model: ScriptedModel) -> list[str]:
    async with anthropic.AsyncAnthropic(base_url=model.base_url("anthropic"), api_key="x") as client:
        messages: Any = [{"role": "user", "content": "x"}]
        whole = await client.messages.create(model="m", max_tokens=9, messages=messages)
        async with client.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
            streamed = await stream.get_final_text()
    return ["".join(block.text for block in whole.content if block.type == "text"), streamed]


async def _gemini(model: ScriptedModel) -> list[str]:
    options = genai.types.HttpOptions(base_url=model.base_url("gemini"))
    async with genai.Client(api_key="x", http_options=options).aio as client:
        whole = await client.models.generate_content(model="m", contents="x")
        stream = await client.models.generate_content_stream(model="m", contents="x")
        pieces = [chunk.text or "" async for chunk in stream]
    return [whole.text or "", "".join(pieces)]


def test_awaiting_clients_of_all_providers_at_once() -> None:
    text = "the same to everybody, and long enough for several pieces"

    async def everybody(model: ScriptedModel) -> list[list[str]]:
        return list(await asyncio.gather(_openai(model), _anthropic(model), _gemini(model)))

    with ScriptedModel.from_answers({"text": text, "times": "forever"}) as model:
        assert asyncio.run(everybody(model)) == [[text, text]] * 3
    assert {received.api for received in model.requests} == {
        "openai_chat",
        "openai_responses",
        "anthropic_messages",
        "gemini",
    }
