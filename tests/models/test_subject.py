"""A model in a plan: what a live answer and a failure leave behind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from bylaw.evidence import Evidence, ModelCall
from bylaw.models import Line, ModelSubject, Patience
from bylaw.plan import Cost, Trial
from bylaw.testing import ScriptedModel
from bylaw.wire import decode

from .lines import BOOKED, ENVIRONMENT, KEY, PROVIDERS, SHAPED_LIKE_A_KEY, Clock, model_of

REQUEST: Mapping[str, Any] = {
    "model": "small-model",
    "messages": [{"role": "user", "content": "Book me a flight to Oslo."}],
    "tools": [{"name": "book", "description": "", "parameters": {"type": "object", "properties": {}}}],
    "tool_choice": "auto",
    "temperature": 0,
}


def evidence_of(
    provider: str, *answers: Mapping[str, Any], request: Mapping[str, Any] = REQUEST, **fields: Any
) -> Evidence:
    with ScriptedModel.from_answers(*answers) as server:
        line = Line(model_of(provider, server.url), environment=ENVIRONMENT)
        subject = ModelSubject(line=line, request=request, timing=Clock().timing, **fields)

        async def run() -> Evidence:
            async with subject.open() as instance:
                return await instance.run(Trial(id="t", subject=subject), None)

        return asyncio.run(run())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_answer_is_a_model_call_and_its_tool_calls(provider: str) -> None:
    evidence = evidence_of(provider, BOOKED)
    asked = evidence.events[0]
    assert isinstance(asked, ModelCall)
    assert (asked.request, asked.failure) == (REQUEST, None)
    assert asked.response is not None
    assert asked.response["finish_reason"] == "tool_calls"
    assert [(call.tool, call.args) for call in evidence.calls] == [("book", {"to": "Oslo"})]
    assert evidence.failure is None


def test_text_is_the_output() -> None:
    assert evidence_of("openai", {"text": "Where to?"}).output == "Where to?"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_failure_carries_its_kind(provider: str) -> None:
    evidence = evidence_of(provider, {"status": 429, "times": 2})
    (asked,) = evidence.events
    assert isinstance(asked, ModelCall)
    assert asked.response is None
    assert asked.failure is not None
    assert asked.failure.kind == "rate_limit"
    assert evidence.failure == asked.failure.message
    assert evidence.error is None


def test_a_request_that_is_none_is_not_sent() -> None:
    evidence = evidence_of("openai", BOOKED, request={"messages": 5})
    assert evidence.failure == "bad_request: the messages are not a list"


def test_evidence_of_a_failure_survives_the_journal() -> None:
    evidence = evidence_of("openai", {"status": 400}, patience=Patience(max_attempts=1))
    again = msgspec.json.decode(msgspec.json.encode(evidence), type=Evidence)
    assert again.events[0].failure.kind == "bad_request"  # type: ignore[union-attr]  # the one event is a model call


def test_it_costs_one_call_of_a_model() -> None:
    line = Line(model_of("openai", "http://127.0.0.1:1"))
    assert ModelSubject(line=line, request=REQUEST).cost == Cost(model_calls=1)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_captured_has_no_secrets_and_judges_the_same(provider: str) -> None:
    kept: list[dict[str, Any]] = []
    said = f"your key is {KEY}, mine is {SHAPED_LIKE_A_KEY}"
    call = {"name": "book", "arguments": {"to": "Oslo", "password": "hunter2", "note": said}}
    evidence_of(provider, {"tool_calls": [call]}, capture=kept.append)
    (raw,) = kept
    text = msgspec.json.encode(raw).decode()
    assert "hunter2" not in text
    assert KEY not in text
    assert SHAPED_LIKE_A_KEY not in text
    (asked,) = decode(raw).tool_calls
    assert asked.arguments["to"] == "Oslo"
    assert asked.arguments["password"] == "[redacted]"


def test_nothing_is_captured_of_a_failure() -> None:
    kept: list[dict[str, Any]] = []
    evidence_of("openai", {"status": 400}, capture=kept.append)
    assert kept == []
