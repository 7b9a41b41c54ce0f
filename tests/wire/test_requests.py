"""A request is understood in whichever provider's shape it is written."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.wire import CODECS, CallAsked, Message, NotARequest, Request, Tool, read_request

SCHEMA = {"type": "object", "properties": {"city": {"type": "string", "enum": ["a", "b"]}}, "required": ["city"]}
LOUD = {"type": "OBJECT", "properties": {"city": {"type": "STRING", "enum": ["a", "b"]}}, "required": ["city"]}

WANTED = Request(
    model="m",
    system="Be brief.",
    messages=(
        Message(role="user", content="Weather in a and b?"),
        Message(
            role="assistant",
            tool_calls=(
                CallAsked(name="get", arguments={"city": "a"}, id="call_1"),
                CallAsked(name="get", arguments={"city": "b"}, id="call_2"),
            ),
        ),
        Message(role="tool", content="sun", tool_call_id="call_1", name="get"),
        Message(role="tool", content="rain", tool_call_id="call_2", name="get"),
        Message(role="user", content="Thanks."),
    ),
    tools=(Tool(name="get", description="Gets it.", parameters=SCHEMA),),
    tool_choice="get",
    temperature=0.5,
    max_tokens=100,
    top_p=0.9,
    stop=("END",),
)

CHAT: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Weather in a and b?"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "get", "arguments": '{"city": "a"}'}},
                {"id": "call_2", "type": "function", "function": {"name": "get", "arguments": '{"city": "b"}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "sun"},
        {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "rain"}]},
        {"role": "user", "content": "Thanks."},
    ],
    "tools": [{"type": "function", "function": {"name": "get", "description": "Gets it.", "parameters": SCHEMA}}],
    "tool_choice": {"type": "function", "function": {"name": "get"}},
    "temperature": 0.5,
    "max_completion_tokens": 100,
    "top_p": 0.9,
    "stop": "END",
}
RESPONSES: dict[str, Any] = {
    "model": "m",
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Weather in a and b?"}]},
        {"type": "reasoning", "id": "rs", "summary": []},
        {"type": "function_call", "call_id": "call_1", "name": "get", "arguments": '{"city": "a"}'},
        {"type": "function_call", "call_id": "call_2", "name": "get", "arguments": '{"city": "b"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "sun"},
        {"type": "function_call_output", "call_id": "call_2", "output": "rain"},
        {"type": "message", "role": "user", "content": "Thanks."},
    ],
    "tools": [{"type": "function", "name": "get", "description": "Gets it.", "parameters": SCHEMA, "strict": False}],
    "tool_choice": {"type": "function", "name": "get"},
    "temperature": 0.5,
    "max_output_tokens": 100,
    "top_p": 0.9,
    "stop": ["END"],
}
ANTHROPIC: dict[str, Any] = {
    "model": "m",
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": "Weather in a and b?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "call_1", "name": "get", "input": {"city": "a"}},
                {"type": "tool_use", "id": "call_2", "name": "get", "input": {"city": "b"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "sun"},
                {"type": "tool_result", "tool_use_id": "call_2", "content": [{"type": "text", "text": "rain"}]},
                {"type": "text", "text": "Thanks."},
            ],
        },
    ],
    "tools": [{"name": "get", "description": "Gets it.", "input_schema": SCHEMA}],
    "tool_choice": {"type": "tool", "name": "get"},
    "temperature": 0.5,
    "max_tokens": 100,
    "top_p": 0.9,
    "stop_sequences": ["END"],
}
GEMINI: dict[str, Any] = {
    "model": "models/m",
    "systemInstruction": {"parts": [{"text": "Be "}, {"text": "brief."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "Weather in a and b?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": {"name": "get", "args": {"city": "a"}}},
                {"functionCall": {"name": "get", "args": {"city": "b"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "get", "response": {"result": "sun"}}},
                {"functionResponse": {"name": "get", "response": {"result": "rain"}}},
            ],
        },
        {"parts": [{"text": "Thanks."}]},
    ],
    "tools": [{"functionDeclarations": [{"name": "get", "description": "Gets it.", "parameters": LOUD}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get"]}},
    "generationConfig": {"temperature": 0.5, "maxOutputTokens": 100, "topP": 0.9, "stopSequences": ["END"]},
}
BODIES = {"openai_chat": CHAT, "openai_responses": RESPONSES, "anthropic_messages": ANTHROPIC, "gemini": GEMINI}


@pytest.mark.parametrize("name", BODIES)
def test_a_request_as_the_api_takes_it(name: str) -> None:
    assert read_request(BODIES[name]) == WANTED


@pytest.mark.parametrize("name", ["openai_chat", "anthropic_messages", "gemini", "normal"])
def test_what_was_understood_can_be_asked_of_anyone(name: str) -> None:
    assert CODECS[name].read_request(CODECS[name].request(WANTED)) == WANTED


def test_the_responses_api_has_no_stop_sequences() -> None:
    with pytest.raises(NotARequest, match="no stop sequences"):
        CODECS["openai_responses"].request(WANTED)


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "get", "description": "Gets it.", "parameters": SCHEMA},
        {"name": "get", "description": "Gets it.", "inputSchema": SCHEMA},
        {"type": "custom", "name": "get", "description": "Gets it.", "input_schema": SCHEMA},
        {"function_declarations": [{"name": "get", "description": "Gets it.", "parameters_json_schema": SCHEMA}]},
    ],
    ids=["plain", "mcp", "anthropic", "google's client"],
)
def test_a_tool_in_any_shape(tool: dict[str, Any]) -> None:
    assert read_request({"tools": [tool]}).tools == WANTED.tools


@pytest.mark.parametrize(
    ("given", "choice"),
    [
        ("auto", "auto"),
        ("any", "required"),
        ("get", "get"),
        ({"type": "any"}, "required"),
        ({"type": "auto", "disable_parallel_tool_use": True}, None),
        ({"type": "allowed_tools", "mode": "auto", "tools": []}, None),
        ({"type": "none"}, "none"),
        ({"functionCallingConfig": {"mode": "NONE"}}, "none"),
        ({"function_calling_config": {"mode": "ANY"}}, "required"),
        (None, None),
        (5, None),
    ],
    ids=range(11),
)
def test_a_tool_choice_in_any_shape(given: Any, choice: str | None) -> None:
    asked = read_request({"tool_choice": given})
    assert asked.tool_choice == choice
    assert asked.extra == ({"tool_choice": given} if choice is None and given is not None else {})


def test_what_else_is_asked_is_carried_as_it_came() -> None:
    image = {"type": "image_url", "image_url": {"url": "x"}}
    search = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    body = {
        "messages": [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, image]}],
        "tools": [search, {"type": "function", "function": {"name": "get", "strict": True}}],
        "seed": 5,
    }
    asked = read_request(body)
    assert (asked.extra, asked.provider_tools) == ({"seed": 5}, (search,))
    assert asked.messages == (Message(role="user", content="What is it?", parts=(image,)),)
    assert asked.tools == (Tool(name="get", extra={"strict": True}),)
    for name in ("openai_chat", "anthropic_messages", "openai_responses", "gemini", "normal"):
        assert read_request(CODECS[name].request(asked)).messages == asked.messages
        assert CODECS[name].read_request(CODECS[name].request(asked)).extra == {"seed": 5}
        assert search in CODECS[name].request(asked)["tools"]


def test_a_failed_tool_stays_failed() -> None:
    failed = {"type": "tool_result", "tool_use_id": "1", "content": "no", "is_error": True}
    asked = read_request({"messages": [{"role": "user", "content": [failed]}]})
    assert CODECS["anthropic_messages"].request(asked)["messages"] == [{"role": "user", "content": [failed]}]


def test_a_text_alone_is_what_the_user_says() -> None:
    assert read_request({"input": "hi"}).messages == (Message(role="user", content="hi"),)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ([], "a request is a JSON object"),
        ({"messages": 5}, "the messages are not a list"),
        ({"messages": [5]}, "a message is not an object"),
        ({"messages": [{"content": "hi"}]}, "a message has no `role`"),
        ({"messages": [{"role": "boss"}]}, "a message has the role 'boss'; roles are system, developer, user"),
        ({"messages": [{"role": "assistant", "tool_calls": [1]}]}, "a tool call is not an object"),
        ({"tools": {}}, "`tools` is not a list"),
        ({"tools": [1]}, "a tool is not an object"),
        ({"tools": [{"function": {}}]}, "a tool has no name"),
        ({"system": 5}, "what the system is told is not text"),
    ],
    ids=range(10),
)
def test_what_is_no_request_says_why(body: Any, reason: str) -> None:
    with pytest.raises(NotARequest) as raised:
        read_request(body)
    assert str(raised.value).startswith(reason)
