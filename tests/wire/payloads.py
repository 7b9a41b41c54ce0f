"""One behaviour as each provider's API sends it: a sentence, two calls of which one has no arguments."""

from __future__ import annotations

from typing import Any

from bylaw.wire import CallAsked, Response

SAME = Response(
    id="r1",
    model="m1",
    content="Let me look.",
    tool_calls=(
        CallAsked(name="get_weather", arguments={"city": "Köln", "days": 2}, id="c1"),
        CallAsked(name="list_cities", arguments={}, id="c2"),
    ),
    finish_reason="tool_calls",
    usage={"input_tokens": 120, "output_tokens": 45, "total_tokens": 165},
)

CHAT: dict[str, Any] = {
    "id": "r1",
    "object": "chat.completion",
    "created": 1760000000,
    "model": "m1",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Let me look.",
                "refusal": None,
                "annotations": [],
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city":"K\\u00f6ln","days":2}'},
                    },
                    {"id": "c2", "type": "function", "function": {"name": "list_cities", "arguments": ""}},
                ],
            },
            "logprobs": None,
            "finish_reason": "tool_calls",
        },
    ],
    "usage": {
        "prompt_tokens": 120,
        "completion_tokens": 45,
        "total_tokens": 165,
        "prompt_tokens_details": {"cached_tokens": 100, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 20},
    },
    "service_tier": "default",
    "system_fingerprint": "fp_1",
}

RESPONSES: dict[str, Any] = {
    "id": "r1",
    "object": "response",
    "created_at": 1760000000,
    "status": "completed",
    "error": None,
    "incomplete_details": None,
    "model": "m1",
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [
                {"type": "output_text", "text": "Let me ", "annotations": []},
                {"type": "output_text", "text": "look.", "annotations": []},
            ],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "c1",
            "name": "get_weather",
            "arguments": '{"city":"Köln","days":2}',
            "status": "completed",
        },
        {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "list_cities", "arguments": "{}"},
        {"type": "mcp_call", "id": "mcp_1", "name": "theirs", "arguments": "{}", "server_label": "x", "output": "y"},
    ],
    "usage": {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 100},
        "output_tokens": 45,
        "output_tokens_details": {"reasoning_tokens": 20},
        "total_tokens": 165,
    },
}

ANTHROPIC: dict[str, Any] = {
    "id": "r1",
    "type": "message",
    "role": "assistant",
    "model": "m1",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "Let me ", "citations": None},
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []},
        {"type": "tool_use", "id": "c1", "name": "get_weather", "input": {"city": "Köln", "days": 2}},
        {"type": "text", "text": "look."},
        {"type": "tool_use", "id": "c2", "name": "list_cities", "input": {}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 20,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 100,
        "output_tokens": 45,
        "service_tier": "standard",
    },
}

GEMINI: dict[str, Any] = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "hm", "thought": True},
                    {"text": "Let me "},
                    {"executableCode": {"language": "PYTHON", "code": "1"}},
                    {"text": "look."},
                    {
                        "functionCall": {"id": "c1", "name": "get_weather", "args": {"city": "Köln", "days": 2}},
                        "thoughtSignature": "c2ln",
                    },
                    {"functionCall": {"id": "c2", "name": "list_cities"}},
                ],
            },
            "finishReason": "STOP",
            "index": 0,
            "safetyRatings": [],
        },
    ],
    "usageMetadata": {
        "promptTokenCount": 120,
        "cachedContentTokenCount": 100,
        "candidatesTokenCount": 25,
        "thoughtsTokenCount": 20,
        "totalTokenCount": 165,
    },
    "modelVersion": "m1",
    "responseId": "r1",
}

RAW: dict[str, dict[str, Any]] = {
    "openai_chat": CHAT,
    "openai_responses": RESPONSES,
    "anthropic_messages": ANTHROPIC,
    "gemini": GEMINI,
}
