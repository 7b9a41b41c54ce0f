"""Addresses, shapes of errors, bodies that are none: what holds for the server whatever the script says."""

from __future__ import annotations

from typing import Any

import anthropic
import openai
import pytest
from google import genai

from bylaw.testing import ScriptedModel
from bylaw.testing.answering import LARGEST_BODY
from bylaw.wire import CODECS

from .exchange import post, send

FOREVER: dict[str, Any] = {"text": "hello", "times": "forever"}
MESSAGES: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
CONTENTS: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}

ADDRESSES: dict[str, tuple[str, dict[str, Any]]] = {
    "/v1/chat/completions": ("openai_chat", MESSAGES),
    "/chat/completions": ("openai_chat", MESSAGES),
    "/api/v3/chat/completions": ("openai_chat", MESSAGES),
    "/openai/deployments/m/chat/completions?api-version=1": ("openai_chat", MESSAGES),
    "/v1/responses": ("openai_responses", {"model": "m", "input": "hi"}),
    "/openai/v1/responses": ("openai_responses", {"model": "m", "input": "hi"}),
    "/v1/messages": ("anthropic_messages", MESSAGES),
    "/v1beta/models/m:generateContent": ("gemini", CONTENTS),
    "/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent": ("gemini", CONTENTS),
}


@pytest.mark.parametrize("path", ADDRESSES)
def test_an_address(path: str) -> None:
    api, body = ADDRESSES[path]
    with ScriptedModel.from_answers(FOREVER) as model:
        got = post(model, path, body)
    answer = CODECS[api].decode(got.json)
    assert (got.status, answer.content, answer.model) == (200, "hello", "m")
    assert model.requests[0].api == api


def test_google_streams_a_list_to_those_who_ask_for_no_events() -> None:
    with ScriptedModel.from_answers({"text": "long enough for more than one piece"}) as model:
        got = post(model, "/v1beta/models/m:streamGenerateContent", CONTENTS)
    assert len(got.json) > 1
    assert (
        CODECS["gemini"].decode(CODECS["gemini"].assemble(got.json)).content == "long enough for more than one piece"
    )


UNKNOWN: dict[str, tuple[str, str, dict[str, str], tuple[str, ...]]] = {
    "openai": ("POST", "/v1/embeddings", {}, ("error", "code")),
    "anthropic": ("POST", "/v1/complete", {"anthropic-version": "2023-06-01"}, ("error", "type")),
    "gemini": ("POST", "/v1beta/models/m:embedContent", {}, ("error", "status")),
    "another method": ("GET", "/v1/chat/completions", {}, ("error", "code")),
    "delete": ("DELETE", "/v1/models/m", {}, ("error", "code")),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_an_unknown_address_is_told_in_the_providers_shape(case: str) -> None:
    method, path, headers, place = UNKNOWN[case]
    with ScriptedModel.from_answers(FOREVER) as model:
        got = send(model, path, None, method=method, headers=headers)
    word = got.json
    for key in place:
        word = word[key]
    assert got.status == 404
    assert word in ("not_found", "not_found_error", "NOT_FOUND")
    assert [(refused.method, refused.path, refused.status) for refused in model.refused] == [(method, path, 404)]
    assert not model.requests


BODIES: dict[str, bytes] = {
    "nothing": b"",
    "half": b'{"messages": [',
    "a list": b"[1]",
    "a number": b"1e999",
    "bytes": b"\xff\xfe{}",
    "half a character": b'{"messages": "\\ud800"}',
    "deep": b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deeper than is followed": b'{"system": ' + b"[" * 500 + b"]" * 500 + b"}",
    "no messages": b'{"messages": 5}',
    "no message": b'{"messages": [5]}',
    "no role": b'{"messages": [{"content": "x"}]}',
    "too large": b'{"messages": "' + b"x" * LARGEST_BODY + b'"}',
}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_that_is_none(case: str) -> None:
    with ScriptedModel.from_answers(FOREVER) as model:
        got = send(model, "/v1/messages", BODIES[case])
        assert post(model, "/v1/messages", MESSAGES).status == 200
    assert got.status == 400
    assert (got.json["type"], got.json["error"]["type"]) == ("error", "invalid_request_error")
    assert [refused.status for refused in model.refused] == [400]


def test_a_large_body_is_read() -> None:
    text = "x" * 10_000_000
    with ScriptedModel.from_answers(FOREVER) as model:
        got = post(model, "/v1/chat/completions", {"messages": [{"role": "user", "content": text}]})
    assert got.status == 200
    assert got.json["usage"]["prompt_tokens"] == 2_500_000


def test_models_are_listed_to_every_client() -> None:
    script = "kind: bylaw/model-script\nmodels: [one, two]\nanswers: [{ text: a }]"
    with (
        ScriptedModel.from_text(script) as model,
        openai.OpenAI(base_url=model.base_url("openai"), api_key="x") as of_openai,
        anthropic.Anthropic(base_url=model.base_url("anthropic"), api_key="x") as of_anthropic,
        genai.Client(api_key="x", http_options={"base_url": model.base_url("gemini")}) as of_google,
    ):
        assert [each.id for each in of_openai.models.list()] == ["one", "two"]
        assert of_openai.models.retrieve("two").id == "two"
        assert [each.id for each in of_anthropic.models.list()] == ["one", "two"]
        assert [each.name for each in of_google.models.list()] == ["models/one", "models/two"]
    assert not model.requests


def test_tokens_are_counted_without_using_an_answer() -> None:
    with (
        ScriptedModel.from_answers({"text": "a"}) as model,
        anthropic.Anthropic(base_url=model.base_url("anthropic"), api_key="x") as of_anthropic,
        genai.Client(api_key="x", http_options={"base_url": model.base_url("gemini")}) as of_google,
    ):
        counted = of_anthropic.messages.count_tokens(
            model="m", messages=[{"role": "user", "content": "four and more"}]
        )
        assert counted.input_tokens == 4
        assert of_google.models.count_tokens(model="m", contents="four and more").total_tokens == 4
    assert len(model.unused) == 1


def test_azure() -> None:
    with (
        ScriptedModel.from_answers(FOREVER) as model,
        openai.AzureOpenAI(azure_endpoint=model.url, api_key="x", api_version="2024-10-21") as client,
    ):
        answer = client.chat.completions.create(model="mine", messages=[{"role": "user", "content": "hi"}])
    assert answer.choices[0].message.content == "hello"
    assert model.requests[0].path.startswith("/openai/deployments/mine/")
    assert model.requests[0].request.model == "mine"


def test_google_says_which_call_it_could_not_read() -> None:
    script: dict[str, Any] = {"tool_calls": [{"name": "get", "raw_arguments": "{oops"}]}
    with ScriptedModel.from_answers(script) as model:
        got = post(model, "/v1beta/models/m:generateContent", CONTENTS)
    (candidate,) = got.json["candidates"]
    assert (candidate["finishReason"], candidate["content"]["parts"]) == ("MALFORMED_FUNCTION_CALL", [])
    assert candidate["finishMessage"] == "Malformed function call: get({oops)"
