"""A server that echoes the key it was sent: nobody who asks sees it in the answer."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bylaw.models import Answered
from bylaw.models.keys import NO_KEY, taking_out
from bylaw.redaction import MARK
from bylaw.testing import ScriptedModel

from .lines import KEY, PROVIDERS, answered, ask_scripted

ECHO: dict[str, Any] = {
    "text": f"you are {KEY}",
    "tool_calls": [{"name": "book", "arguments": {"to": f"Bearer {KEY}", KEY: [{"deep": KEY}]}}],
}


def seen(answer: Answered) -> str:
    return msgspec.json.encode([answer.raw, answer.response]).decode()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_key_in_use_is_taken_out_of_an_answer(provider: str, stream: bool) -> None:
    answer = answered(ask_scripted(provider, ECHO, stream=stream))
    assert KEY not in seen(answer)
    (call,) = answer.response.tool_calls
    assert call.arguments == {"to": f"Bearer {MARK}", MARK: [{"deep": MARK}]}


def test_an_answer_without_the_key_stays_itself() -> None:
    data = {"a": ["b", {"c": 1}]}
    assert taking_out(KEY)(data) is data


@pytest.mark.parametrize("key", [NO_KEY, "short"])
def test_what_is_no_secret_is_left_where_it_is(key: str) -> None:
    data = {"text": f"there is {key} of it"}
    assert taking_out(key)(data) == data


@pytest.mark.parametrize("key", ['with"quote-4711', "with\\backslash-4711", "12345678"])
def test_odd_keys_are_found_as_well(key: str) -> None:
    nested = msgspec.json.encode({"inner": key}).decode()
    found = taking_out(key)({"text": key, "nested": nested, "number": 1234567890})
    assert found == {"text": MARK, "nested": msgspec.json.encode({"inner": MARK}).decode(), "number": 1234567890}


def test_halves_of_characters_are_no_way_around_it() -> None:
    assert taking_out(KEY)({"text": f"\ud83d {KEY}"}) == {"text": f"\ud83d {MARK}"}


def test_a_scripted_model_has_a_key_that_is_taken_out() -> None:
    with ScriptedModel.from_answers(ECHO) as model:
        keys = {value for name, value in model.environment.items() if name.endswith("_API_KEY")}
    assert all(taking_out(key)({"k": key}) == {"k": MARK} for key in keys)
