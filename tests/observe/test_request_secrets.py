"""What is kept of a request has no secrets in it, wherever in the request they are."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bylaw.observe import Observation, observed

KEY = "sk-proj-" + "abcdefghijklmnopqrstuvwxyz0123456789ABCD"
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "refund A-17"}]}
PASSWORD = {"type": "object", "properties": {"password": {"type": "string"}}, "required": ["password"]}


def kept(**more: Any) -> Observation:
    return observed(name="refund", request={**ASKED, **more}, answer={"content": "done"})


@pytest.mark.parametrize(
    "more",
    [
        {"user": KEY},
        {"metadata": {"api_key": "hunter2-and-more", "note": f"with {KEY}"}},
        {"custom": [{"password": "hunter2-and-more"}]},
        {"mcp_servers": [{"type": "url", "url": "https://a.example", "authorization_token": "hunter2-and-more"}]},
        {"tools": [{"type": "mcp", "server_label": "a", "authorization": "hunter2-and-more"}]},
        {"tools": [{"type": "mcp", "server_label": "a", "headers": {"X-Ours": "hunter2-and-more"}}]},
        {"tools": [{"type": "function", "name": "a", "parameters": PASSWORD, "api_key": "hunter2-and-more"}]},
    ],
    ids=["user", "metadata", "body", "mcp-servers", "authorization", "headers", "beside-a-schema"],
)
def test_a_secret_of_the_request_stays_out(more: dict[str, Any]) -> None:
    text = msgspec.json.encode(kept(**more)).decode()
    assert KEY not in text
    assert "hunter2" not in text
    assert "refund A-17" in text


def test_the_schema_of_a_tool_is_no_secret() -> None:
    tool = {"type": "function", "function": {"name": "login", "parameters": PASSWORD}}
    assert kept(tools=[tool]).request.tools[0].parameters == PASSWORD


def test_the_schema_of_an_answer_is_no_secret() -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "login", "schema": PASSWORD}}
    assert kept(response_format=wanted).request.extra == {"response_format": wanted}


def test_settings_stay_what_they_were() -> None:
    request = kept(max_tokens=9, temperature=0.5, top_p=1, stop=["x"], seed=7).request
    assert (request.max_tokens, request.temperature, request.top_p, request.stop) == (9, 0.5, 1, ("x",))
    assert request.extra == {"seed": 7}
