"""What of a gated client can be had, and what can't."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from bylaw.errors import Misuse
from bylaw.responses import ContractFailed, gate, record, validate
from bylaw.testing import ScriptedModel

from .serving import serving
from .talking import MESSAGES, TOO_MUCH, openai_client

OPENAI = (
    "beta.responses",
    "beta.assistants",
    "responses.connect",
    "responses.retrieve",
    "responses.cancel",
    "chat.completions.retrieve",
    "chat.completions.list",
    "chat.completions.with_raw_response.retrieve",
    "completions",
    "batches",
    "realtime",
    "post",
    "request",
)
ANTHROPIC = (
    "messages.batches",
    "beta.messages.batches",
    "beta.messages.tool_runner",
    "post",
    "with_streaming_response",
)


@pytest.mark.parametrize("road", OPENAI)
def test_an_unseen_road_of_openai_is_closed(road: str, pack: Path) -> None:
    with pytest.raises(Misuse, match="pass no gate"):
        attrgetter(road)(gate(openai.OpenAI(api_key="x"), pack))


@pytest.mark.parametrize("road", ANTHROPIC)
def test_an_unseen_road_of_anthropic_is_closed(road: str, pack: Path) -> None:
    with pytest.raises(Misuse, match="pass no gate"):
        attrgetter(road)(gate(anthropic.Anthropic(api_key="x"), pack))


def test_a_method_of_somebody_s_own_client_is_closed(pack: Path) -> None:
    class Ours(openai.OpenAI):
        def ask(self, question: str) -> Any:
            return self.responses.create(model="m", input=question)

    with pytest.raises(Misuse, match="`ask` pass no gate"):
        gate(Ours(api_key="x"), pack).ask("refund")


@pytest.mark.parametrize(
    "road", ["models.list", "files.create", "embeddings.create", "base_url", "timeout", "max_retries", "is_closed"]
)
def test_what_gives_no_answer_is_open(road: str, pack: Path) -> None:
    attrgetter(road)(gate(openai.OpenAI(api_key="x"), pack))


def test_a_recorded_client_has_every_road(tmp_path: Path) -> None:
    client = record(openai.OpenAI(api_key="x"), tmp_path)
    for road in OPENAI:
        attrgetter(road)(client)


def test_a_copy_is_gated_too(pack: Path) -> None:
    with ScriptedModel.from_answers(TOO_MUCH) as model, openai_client(model) as client:
        copied = copy.copy(gate(client, pack))
        with pytest.raises(ContractFailed):
            copied.chat.completions.create(model="m", messages=MESSAGES)


@pytest.mark.parametrize("way", [copy.deepcopy, pickle.dumps], ids=["deepcopy", "pickle"])
def test_what_can_t_be_copied_says_so(way: Callable[[Any], Any], pack: Path) -> None:
    with pytest.raises(TypeError, match="can't be pickled or copied"):
        way(gate(openai.OpenAI(api_key="x"), pack))


def test_a_near_miss_of_applies_is_told(pack: Path) -> None:
    applies: Any = "caled"
    with pytest.raises(Misuse, match="did you mean `called`"):
        gate(openai.OpenAI(api_key="x"), pack, applies=applies)
    with pytest.raises(Misuse, match="did you mean `called`"):
        validate({"content": "hi"}, pack, applies=applies)


@pytest.mark.parametrize(
    "more",
    [{"n": 2.0}, {"extra_body": {"n": "2"}}, {"n": 1, "extra_body": {"n": 3}}],
    ids=["fraction", "text", "both"],
)
def test_several_choices_are_not_asked_for_in_any_spelling(more: dict[str, Any], pack: Path) -> None:
    with pytest.raises(Misuse, match="several choices"):
        gate(openai.OpenAI(api_key="x"), pack).chat.completions.create(model="m", messages=MESSAGES, **more)


@pytest.mark.parametrize("more", [{"stream": 1}, {"extra_body": {"stream": True}}], ids=["number", "body"])
def test_a_raw_stream_is_refused_in_any_spelling(more: dict[str, Any], pack: Path) -> None:
    client: Any = gate(openai.OpenAI(api_key="x"), pack)
    with pytest.raises(Misuse, match="pass no gate"):
        client.chat.completions.with_raw_response.create(model="m", messages=MESSAGES, **more)


def test_several_choices_that_come_unasked_are_refused(pack: Path) -> None:
    choices = [
        {"index": index, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}
        for index in range(2)
    ]
    answer = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
    with (
        serving(answer) as address,
        gate(openai.OpenAI(base_url=address, api_key="x"), pack, applies="called") as client,
        pytest.raises(ContractFailed, match="has 2 answers; one is judged"),
    ):
        client.chat.completions.create(model="m", messages=MESSAGES)
