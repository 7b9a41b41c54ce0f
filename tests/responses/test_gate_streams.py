"""Of a stream nothing can be acted on before it is judged, and nothing comes after."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from bylaw.errors import Misuse
from bylaw.responses import ContractFailed, Recorder, gate, record
from bylaw.testing import ScriptedModel

from .serving import serving
from .talking import GOOD, MESSAGES, TOO_MUCH, anthropic_client, openai_client

CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "delete", "arguments": "{}"}}
HI = {"role": "assistant", "content": "hi"}
ITEM = {"id": "f", "type": "function_call", "name": "delete", "arguments": "{}", "call_id": "c"}


def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def whole(kind: str, *output: dict[str, Any]) -> dict[str, Any]:
    response = {"id": "r", "object": "response", "model": "m", "status": "completed", "output": list(output)}
    return {"type": kind, "sequence_number": 0, "response": response}


def ended(reason: str) -> dict[str, Any]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}


START: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
}
BLOCK: list[dict[str, Any]] = [
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t", "name": "delete", "input": {}},
    },
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 0},
]
STOP = {"type": "message_stop"}

CHAT = {
    "call-after-the-end": [chunk(HI, "stop"), chunk({"tool_calls": [CALL]}), chunk({}, "tool_calls")],
    "text-after-the-end": [chunk(HI, "stop"), chunk({"content": "and more"}), chunk({}, "stop")],
    "ends-that-are-empty": [chunk(HI, ""), chunk({"tool_calls": [CALL]}, ""), chunk({}, "tool_calls")],
    "old-function-call": [
        chunk({"function_call": {"name": "delete", "arguments": "{}"}}),
        chunk({}, "function_call"),
    ],
    "another-choice": [chunk({"tool_calls": [CALL]}, index=1), chunk(HI, "stop")],
    "another-choice-after-the-end": [chunk(HI, "stop"), chunk({"tool_calls": [CALL]}, index=1)],
}


@pytest.fixture
def forbidding(tmp_path: Path) -> Path:
    (tmp_path / "forbid.yaml").write_text("tool: multi_tool_call\nforbid_tools: [delete]\n")
    return tmp_path / "forbid.yaml"


@pytest.mark.parametrize("events", CHAT.values(), ids=list(CHAT))
def test_chat_that_hides_a_call_is_refused(events: list[Any], forbidding: Path) -> None:
    seen: list[Any] = []
    with (
        serving(events) as address,
        gate(openai.OpenAI(base_url=address, api_key="x", max_retries=0), forbidding) as client,
        pytest.raises(ContractFailed),
    ):
        seen.extend(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    assert not any(choice.finish_reason == "tool_calls" for piece in seen for choice in piece.choices)


def test_a_response_that_goes_on_is_refused(forbidding: Path) -> None:
    done = {"type": "response.output_item.done", "sequence_number": 1, "output_index": 0, "item": ITEM}
    seen: list[str] = []
    with (
        serving([whole("response.completed"), done, whole("response.completed", ITEM)]) as address,
        gate(openai.OpenAI(base_url=address, api_key="x", max_retries=0), forbidding) as client,
        pytest.raises(ContractFailed, match="goes on after it has said why it ended"),
    ):
        seen.extend(event.type for event in client.responses.create(model="m", input="x", stream=True))
    assert seen == ["response.completed"]


def _created(client: anthropic.Anthropic) -> Any:
    return list(client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=True))


def _in_a_context(client: anthropic.Anthropic) -> Any:
    with client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream:
        return stream.get_final_message()


@pytest.mark.parametrize("ask", [_created, _in_a_context], ids=["create", "stream"])
def test_a_message_that_goes_on_is_refused(ask: Callable[[anthropic.Anthropic], Any], forbidding: Path) -> None:
    with (
        serving([START, ended("end_turn"), *BLOCK, ended("tool_use"), STOP]) as address,
        gate(anthropic.Anthropic(base_url=address, api_key="x", max_retries=0), forbidding) as client,
        pytest.raises(ContractFailed, match="goes on after it has said why it ended"),
    ):
        ask(client)


def test_an_asynchronous_stream_that_goes_on_is_refused(forbidding: Path) -> None:
    async def ask(address: str) -> None:
        async with gate(openai.AsyncOpenAI(base_url=address, api_key="x", max_retries=0), forbidding) as client:
            async for _ in await client.chat.completions.create(model="m", messages=MESSAGES, stream=True):
                pass

    with serving(CHAT["call-after-the-end"]) as address, pytest.raises(ContractFailed):
        asyncio.run(ask(address))


def test_a_stream_that_goes_on_is_passed_on_with_a_warning(
    forbidding: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        serving(CHAT["call-after-the-end"]) as address,
        gate(openai.OpenAI(base_url=address, api_key="x"), forbidding, on_failure="warn") as client,
        caplog.at_level(logging.WARNING, logger="bylaw.responses"),
    ):
        pieces = list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    assert len(pieces) == 3
    assert "goes on after" in caplog.text


def test_what_can_t_be_read_is_judged_by_contracts_on_calls_too(pack: Path) -> None:
    with (
        serving([chunk(HI)]) as address,
        gate(openai.OpenAI(base_url=address, api_key="x"), pack, applies="called") as client,
        pytest.raises(ContractFailed, match="cut off"),
    ):
        list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))


def test_a_complete_block_is_held_back_until_the_message_is_judged(pack: Path) -> None:
    seen: list[str] = []
    with (
        ScriptedModel.from_answers(TOO_MUCH) as model,
        gate(anthropic_client(model), pack) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
        pytest.raises(ContractFailed),
    ):
        seen.extend(event.type for event in stream)
    assert "content_block_delta" in seen
    assert "content_block_stop" not in seen


def test_a_complete_item_is_held_back_until_the_response_is_judged(pack: Path) -> None:
    seen: list[str] = []
    with (
        ScriptedModel.from_answers(TOO_MUCH) as model,
        gate(openai_client(model), pack) as client,
        pytest.raises(ContractFailed),
    ):
        seen.extend(event.type for event in client.responses.create(model="m", input="x", stream=True))
    assert "response.function_call_arguments.delta" in seen
    assert not any(kind.endswith(".done") for kind in seen)


def test_what_http_says_of_a_stream_can_be_had_and_its_body_can_t(pack: Path) -> None:
    with ScriptedModel.from_answers(GOOD) as model, gate(openai_client(model), pack) as client:
        stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        assert stream.response.status_code == 200
        with pytest.raises(Misuse, match=r"stream\.response\.read"):
            stream.response.read()
        list(stream)


def test_a_recorded_stream_is_as_open_as_it_was(tmp_path: Path) -> None:
    with ScriptedModel.from_answers(GOOD) as model, Recorder(tmp_path) as recorder:
        client = record(openai_client(model), recorder)
        stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        assert b"refund" in stream.response.read()
        client.close()


def test_a_snapshot_is_had_when_the_message_has_passed_and_not_before(pack: Path) -> None:
    with (
        ScriptedModel.from_answers(GOOD) as model,
        gate(anthropic_client(model), pack) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        next(stream)
        with pytest.raises(Misuse, match="current_message_snapshot"):
            _ = stream.current_message_snapshot
        stream.until_done()
        assert stream.current_message_snapshot.content


def test_a_snapshot_of_what_was_refused_is_refused(pack: Path) -> None:
    with (
        ScriptedModel.from_answers(TOO_MUCH) as model,
        gate(anthropic_client(model), pack) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        with pytest.raises(ContractFailed):
            stream.until_done()
        with pytest.raises(ContractFailed):
            _ = stream.current_message_snapshot
