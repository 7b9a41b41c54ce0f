"""A gate lets through what its contracts allow, by every road, and nothing else."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from bylaw.errors import InvalidFile, Misuse
from bylaw.responses import ContractFailed, Contracts, Validation, gate
from bylaw.testing import ScriptedModel
from bylaw.wire import decode

from .talking import GOOD, MESSAGES, ROADS, TOO_MUCH, anthropic_client, openai_client


@pytest.mark.parametrize("road", list(ROADS))
def test_an_answer_that_holds_comes_as_without_a_gate(road: str, pack: Path) -> None:
    with ScriptedModel.from_answers({**GOOD, "times": 2}) as model:
        bare = ROADS[road](model, lambda client: client)
        gated = ROADS[road](model, lambda client: gate(client, pack))
    assert type(gated) is type(bare)
    assert decode(gated).tool_calls[0].arguments == decode(bare).tool_calls[0].arguments
    if isinstance(bare, list):
        assert [type(chunk) for chunk in gated] == [type(chunk) for chunk in bare]


@pytest.mark.parametrize("road", list(ROADS))
def test_an_answer_that_fails_is_raised_in_place(road: str, pack: Path) -> None:
    with ScriptedModel.from_answers(TOO_MUCH) as model, pytest.raises(ContractFailed) as failed:
        ROADS[road](model, lambda client: gate(client, pack))
    (found,) = failed.value.validation.failures
    assert (found.code, found.closest) == (
        "schema_violation",
        {"tool": "refund", "args": {"order": "A-17", "amount": 900}},
    )
    assert found.line == f"{pack}/contracts/refund.yaml:2:1"
    assert "`$.amount` is 900; wanted `lte: 500`" in str(failed.value)


@pytest.mark.parametrize("road", ["chat", "chat-streamed", "responses", "messages-streamed", "async-chat-streamed"])
def test_arguments_that_are_no_object_do_not_pass(road: str, pack: Path) -> None:
    answer = {"tool_calls": [{"name": "refund", "raw_arguments": '{"order": "A-17", "amo'}]}
    with ScriptedModel.from_answers(answer) as model, pytest.raises(ContractFailed) as failed:
        ROADS[road](model, lambda client: gate(client, pack))
    assert failed.value.validation.failures[0].code == "malformed_arguments"


def test_one_bad_call_among_parallel_ones_is_found(tmp_path: Path) -> None:
    contract = tmp_path / "only.yaml"
    contract.write_text("tool: multi_tool_call\nonly_tools: [get_order, refund]\n")
    calls = [{"name": name} for name in ("get_order", "delete_order", "refund")]
    with ScriptedModel.from_answers({"tool_calls": calls}) as model, pytest.raises(ContractFailed) as failed:
        ROADS["chat-streamed"](model, lambda client: gate(client, contract))
    assert failed.value.validation.failures[0].code == "wrong_tool"


def test_of_a_stream_that_fails_the_piece_that_ends_it_is_never_handed_out(pack: Path) -> None:
    seen: list[Any] = []
    with ScriptedModel.from_answers(TOO_MUCH) as model, gate(openai_client(model), pack) as client:
        with pytest.raises(ContractFailed):
            seen.extend(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
        stream = iter(seen)
    assert all(chunk.choices[0].finish_reason is None for chunk in stream)


def test_a_stream_that_is_cut_off_fails(pack: Path) -> None:
    with ScriptedModel.from_answers({**GOOD, "cut": True}) as model, pytest.raises(ContractFailed) as failed:
        ROADS["chat-streamed"](model, lambda client: gate(client, pack))
    assert failed.value.validation.failures[0].code == "unexpected_error"
    assert "cut off" in failed.value.validation.failures[0].reason


def test_text_streams_through(pack: Path) -> None:
    with (
        ScriptedModel.from_answers({"text": "A refund is on its way."}) as model,
        gate(anthropic_client(model), pack, applies="called") as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        assert "".join(stream.text_stream) == "A refund is on its way."
        assert stream.get_final_text() == "A refund is on its way."


def test_a_warning_is_logged_and_the_answer_passed_on(pack: Path, caplog: pytest.LogCaptureFixture) -> None:
    with ScriptedModel.from_answers(TOO_MUCH) as model, caplog.at_level(logging.WARNING, logger="bylaw.responses"):
        answer = ROADS["chat"](model, lambda client: gate(client, pack, on_failure="warn"))
    assert answer.choices[0].message.tool_calls
    assert [record.message.count("schema_violation") for record in caplog.records] == [1]


def test_a_function_gets_the_validation_and_decides(pack: Path) -> None:
    told: list[Validation] = []
    with ScriptedModel.from_answers(TOO_MUCH) as model:
        answer = ROADS["chat"](model, lambda client: gate(client, pack, on_failure=told.append))
    assert answer.choices
    assert [validation.ok for validation in told] == [False]


def test_an_agent_that_ends_in_text_passes_where_contracts_speak_of_calls(pack: Path) -> None:
    with (
        ScriptedModel.from_answers(GOOD, {"text": "done"}) as model,
        gate(openai_client(model), pack, applies="called") as client,
    ):
        said = [client.chat.completions.create(model="m", messages=MESSAGES) for _ in range(2)]
    assert said[1].choices[0].message.content == "done"


def test_what_was_asked_is_judged_as_well(tmp_path: Path) -> None:
    contract = tmp_path / "asked.yaml"
    contract.write_text(
        "tool: refund\nassertions:\n  input_invariants: [{ path: $.temperature, equals: 0 }]\n", encoding="utf-8"
    )
    with (
        ScriptedModel.from_answers({**GOOD, "times": 2}) as model,
        gate(openai_client(model), contract) as client,
    ):
        client.chat.completions.create(model="m", messages=MESSAGES, temperature=0, timeout=20)
        with pytest.raises(ContractFailed, match="temperature"):
            client.chat.completions.create(model="m", messages=MESSAGES)


def test_the_client_itself_is_untouched_and_the_gated_one_is_taken_for_it(pack: Path) -> None:
    with ScriptedModel.from_answers(TOO_MUCH) as model, openai_client(model) as client:
        gated = gate(client, pack)
        assert isinstance(gated, openai.OpenAI)
        assert (gated.base_url, gated.max_retries) == (client.base_url, 0)
        assert client.chat.completions.create(model="m", messages=MESSAGES).choices


@pytest.mark.parametrize(
    "road",
    ["with_raw_response", "chat.with_raw_response", "responses.with_streaming_response", "chat.completions.stream"],
)
def test_a_road_past_the_gate_is_closed(road: str, pack: Path) -> None:
    client: Any = gate(openai.OpenAI(api_key="x"), pack)
    *resources, last = road.split(".")
    for name in resources:
        client = getattr(client, name)
    with pytest.raises(Misuse, match="pass no gate"):
        getattr(client, last)


def test_what_was_refused_is_refused_again(pack: Path) -> None:
    with (
        ScriptedModel.from_answers(TOO_MUCH) as model,
        gate(anthropic_client(model), pack) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        for read in (stream.until_done, stream.get_final_message, lambda: next(stream)):
            with pytest.raises(ContractFailed):
                read()


@pytest.mark.parametrize("more", [{"n": 2}, {"extra_body": {"n": 2}}], ids=["keyword", "body"])
def test_several_choices_are_not_asked_for(more: dict[str, Any], pack: Path) -> None:
    with ScriptedModel.from_answers(GOOD) as model, openai_client(model) as client, pytest.raises(Misuse):
        gate(client, pack).chat.completions.create(model="m", messages=MESSAGES, **more)
    assert model.requests == ()


def test_a_raw_stream_is_refused_before_it_is_asked_for(pack: Path) -> None:
    with ScriptedModel.from_answers(GOOD) as model, openai_client(model) as client, pytest.raises(Misuse):
        gate(client, pack).chat.completions.with_raw_response.create(model="m", messages=MESSAGES, stream=True)
    assert model.requests == ()


def test_something_else_than_a_client_is_refused(pack: Path) -> None:
    with pytest.raises(Misuse, match="no client of openai or anthropic"):
        gate(object(), pack)


def test_a_contract_that_can_t_be_used_is_told_before_anything_is_asked(pack: Path) -> None:
    (pack / "contracts" / "wrong.yaml").write_text("tool: refund\nexpect_tols: [refund]\npass_threshold: 2\n")
    with pytest.raises(InvalidFile) as wrong:
        gate(openai.OpenAI(api_key="x"), pack)
    assert len(wrong.value.diagnostics) == 2


def test_threads_and_tasks_share_one_gate(pack: Path) -> None:
    contracts = Contracts.load(pack)
    answers = [
        {"when": {"contains": "good"}, **GOOD, "times": "forever"},
        {"when": {"contains": "bad"}, **TOO_MUCH, "times": "forever"},
    ]
    with ScriptedModel.from_answers(*answers) as model, ThreadPoolExecutor(8) as threads:
        client = gate(openai_client(model), contracts)

        def ask(word: str) -> bool:
            try:
                client.chat.completions.create(model="m", messages=[{"role": "user", "content": word}])
            except ContractFailed:
                return False
            return True

        words = ["good", "bad"] * 16
        assert list(threads.map(ask, words)) == [word == "good" for word in words]

        async def ask_all() -> list[Any]:
            async with gate(openai.AsyncOpenAI(base_url=model.base_url("openai"), api_key="x"), contracts) as many:
                asked = [
                    many.chat.completions.create(model="m", messages=[{"role": "user", "content": word}])
                    for word in words
                ]
                return await asyncio.gather(*asked, return_exceptions=True)

        assert [isinstance(found, ContractFailed) for found in asyncio.run(ask_all())] == [
            word == "bad" for word in words
        ]
        client.close()
