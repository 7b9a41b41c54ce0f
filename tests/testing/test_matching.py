"""Which answer a request gets: the first that is left and fits."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.testing import ScriptedModel

from .exchange import chat, post

ASSISTANT = {"role": "assistant", "content": "hm"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "get_order", "arguments": "{}"}},
        {"id": "2", "type": "function", "function": {"name": "get_user", "arguments": "{}"}},
    ],
}
RESULTS = [
    {"role": "tool", "tool_call_id": "1", "content": "order 17"},
    {"role": "tool", "tool_call_id": "2", "content": "no such user"},
]
TOOLS = [{"type": "function", "function": {"name": name}} for name in ("get_order", "get_user")]

FITTING: dict[str, tuple[dict[str, Any], list[Any], dict[str, Any]]] = {
    "turn 1": ({"turn": 1}, ["hi"], {}),
    "turn 2": ({"turn": 2}, ["hi", ASSISTANT, "so?"], {}),
    "turn 2 after calls": ({"turn": 2}, ["hi", CALL, *RESULTS], {}),
    "two messages of one turn": ({"turn": 2}, ["hi", ASSISTANT, ASSISTANT, "so?"], {}),
    "begun for the model": ({"turn": 1}, ["hi", ASSISTANT], {}),
    "contains": ({"contains": "refund"}, ["a refund please"], {}),
    "contains, of the last": ({"contains": "refund"}, ["no", ASSISTANT, "a refund"], {}),
    "contains, before results": ({"contains": "hi"}, ["hi", CALL, *RESULTS], {}),
    "matches": ({"matches": r"order [A-Z]-\d+$"}, ["where is\norder A-17"], {}),
    "anywhere": ({"anywhere": "order 17"}, ["hi", CALL, *RESULTS, ASSISTANT, "so?"], {}),
    "system": ({"system_contains": "polite"}, [{"role": "system", "content": "be polite"}, "hi"], {}),
    "result of": ({"tool_result": "get_user"}, ["hi", CALL, *RESULTS], {}),
    "result contains": ({"result_contains": "no such"}, ["hi", CALL, *RESULTS], {}),
    "tools": ({"tools": ["get_user"]}, ["hi"], {"tools": TOOLS}),
    "model": ({"model": "m"}, ["hi"], {}),
    "model by pattern": ({"model": "gpt-*"}, ["hi"], {"model": "gpt-x"}),
    "api": ({"api": "openai_chat"}, ["hi"], {}),
    "all of it": ({"turn": 1, "contains": "h", "model": "m"}, ["hi"], {}),
}
PASSED_OVER: dict[str, tuple[dict[str, Any], list[Any], dict[str, Any]]] = {
    "turn 1": ({"turn": 1}, ["hi", ASSISTANT, "so?"], {}),
    "contains, of an earlier one": ({"contains": "refund"}, ["refund", ASSISTANT, "no"], {}),
    "contains, in another case": ({"contains": "Refund"}, ["refund"], {}),
    "matches": ({"matches": r"^order$"}, ["order A-17"], {}),
    "anywhere": ({"anywhere": "refund"}, ["hi", CALL, *RESULTS], {}),
    "system": ({"system_contains": "polite"}, ["be polite"], {}),
    "result of another": ({"tool_result": "refund"}, ["hi", CALL, *RESULTS], {}),
    "result spoken about": ({"tool_result": "get_user"}, ["hi", CALL, *RESULTS, ASSISTANT, "so?"], {}),
    "result contains": ({"result_contains": "order 18"}, ["hi", CALL, *RESULTS], {}),
    "tools": ({"tools": ["get_user", "refund"]}, ["hi"], {"tools": TOOLS}),
    "model": ({"model": "n"}, ["hi"], {}),
    "api": ({"api": "gemini"}, ["hi"], {}),
    "half of it": ({"turn": 1, "contains": "x"}, ["hi"], {}),
}


@pytest.mark.parametrize("case", FITTING)
def test_a_request_that_fits(case: str) -> None:
    when, messages, more = FITTING[case]
    with ScriptedModel.from_answers({"when": when, "text": "yes"}) as model:
        assert chat(model, *messages, **more) == "yes"


@pytest.mark.parametrize("case", PASSED_OVER)
def test_a_request_that_does_not(case: str) -> None:
    when, messages, more = PASSED_OVER[case]
    with ScriptedModel.from_answers({"when": when, "text": "yes"}) as model:
        assert chat(model, *messages, **more) is None


def test_answers_come_in_order_each_as_often_as_it_says() -> None:
    answers: list[Any] = [{"text": "a"}, {"text": "b", "times": 2}, {"text": "c", "times": "forever"}]
    with ScriptedModel.from_answers(*answers) as model:
        assert [chat(model, "x") for _ in range(6)] == ["a", "b", "b", "c", "c", "c"]


def test_an_answer_that_does_not_fit_keeps_its_place() -> None:
    answers: list[Any] = [{"when": {"contains": "1"}, "text": "one"}, {"text": "any", "times": 2}]
    with ScriptedModel.from_answers(*answers) as model:
        assert [chat(model, text) for text in ("2", "1", "1", "1")] == ["any", "one", "any", None]


def test_what_no_answer_fits_is_told_and_kept() -> None:
    with ScriptedModel.from_answers({"when": {"contains": "refund"}, "text": "yes"}) as model:
        got = post(model, "/v1/messages", {"model": "m", "messages": [{"role": "user", "content": "buy"}]})
    assert got.status == 400
    assert got.json["error"]["type"] == "invalid_request_error"
    assert "no answer of the script" in got.json["error"]["message"]
    assert "'buy'" in got.json["error"]["message"]
    assert [received.request.messages[0].content for received in model.unmatched] == ["buy"]
    assert [str(unused) for unused in model.unused] == ["answer 1 (answers[0]:1:1) was never given"]


def test_a_pattern_that_can_t_be_judged_is_told() -> None:
    with ScriptedModel.from_answers({"when": {"matches": r"(x+x+)+(?=y)z"}, "text": "a"}, {"text": "b"}) as model:
        got = post(model, "/v1/responses", {"input": "x" * 100_000})
    assert got.status == 400
    assert "answer 1 of the script can't be matched" in got.json["error"]["message"]
    assert len(model.refused) == 1
