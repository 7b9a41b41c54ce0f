"""Whatever JSON comes in, there is an HTTP answer in the shape of the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.testing import ScriptedModel
from bylaw.wire import CODECS, failure_in

from .exchange import post, send

PATHS = {
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "anthropic_messages": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
}
SCRIPT: list[dict[str, Any]] = [
    {"when": {"contains": "a", "tools": ["a"]}, "text": "a", "times": "forever"},
    {"when": {"matches": "[b-z]", "system_contains": "b"}, "text": "b", "times": "forever"},
    {"when": {"tool_result": "a", "result_contains": "a"}, "text": "c", "times": "forever"},
    {"when": {"anywhere": "e", "turn": 2}, "text": "d", "times": "forever"},
    {"tool_calls": [{"name": "a", "arguments": {"b": 1}}], "times": "forever"},
]

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
WORDS = [
    "role",
    "content",
    "parts",
    "text",
    "type",
    "name",
    "id",
    "function",
    "arguments",
    "tool_calls",
    "tool_call_id",
    "functionCall",
    "functionResponse",
    "response",
    "args",
    "input",
    "output",
    "call_id",
    "tool_use_id",
    "thought",
]
VALUES = [
    "user",
    "assistant",
    "tool",
    "system",
    "model",
    "tool_use",
    "tool_result",
    "function_call",
    "text",
    "a",
    "function_call_output",
]
likely = st.recursive(
    scalars | st.sampled_from(VALUES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=12,
)
KEYS = [
    "messages",
    "input",
    "contents",
    "system",
    "instructions",
    "systemInstruction",
    "tools",
    "tool_choice",
    "model",
    "stream_options",
    "previous_response_id",
    "generationConfig",
    "toolConfig",
    "temperature",
    "max_tokens",
    "stop",
]
bodies = anything | st.dictionaries(st.sampled_from(KEYS), likely, max_size=5)


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel.from_answers(*SCRIPT) as serving:
        yield serving


@pytest.mark.parametrize("api", PATHS)
@given(body=bodies, streamed=st.booleans())
@settings(max_examples=150)
def test_any_json_has_an_answer_in_shape(model: ScriptedModel, api: str, body: Any, streamed: bool) -> None:
    if isinstance(body, dict):
        body = body | {"stream": streamed}
    got = post(model, PATHS[api], body)
    if got.status == 200 and got.headers["content-type"] == "text/event-stream":
        assert got.body.startswith((b"data: ", b"event: "))
    elif got.status == 200:
        assert CODECS[api].decode(got.json).tool_calls or CODECS[api].decode(got.json).content
    else:
        assert got.status == 400
        assert failure_in(got.json) is not None


@given(
    raw=st.binary(max_size=50) | bodies.map(msgspec.json.encode).flatmap(lambda text: st.just(text[: len(text) // 2]))
)
@settings(max_examples=100)
def test_any_bytes_have_one_too(model: ScriptedModel, raw: bytes) -> None:
    got = send(model, "/v1/chat/completions", raw)
    assert got.status in (200, 400)
    assert got.headers["content-type"] == "application/json"
    assert got.json
