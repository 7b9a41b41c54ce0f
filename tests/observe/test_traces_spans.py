"""Spans of generative AI, by the conventions there have been, become what a contract is judged on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bylaw.evidence import ModelCall, ToolCall
from bylaw.guard.guard import Guard
from bylaw.guard.telemetry import Telemetry
from bylaw.observe.traces import ModelStep, ToolStep, Traces, read_traces

from .exports import CALL, TRACE, asks, chat, otlp, says, span, written

BUNDLE = """
apiVersion: callguard/v1
kind: ContractBundle
metadata: {name: traced}
defaults: {mode: enforce}
contracts:
  - id: never
    type: pre
    tool: forbidden
    when: {tool.name: {equals: forbidden}}
    then: {effect: deny, message: not here}
"""
TEXT_CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "refund", "arguments": json.dumps(CALL["arguments"])},
}

USAGE: dict[str, Any] = {"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3}

BY_MESSAGES = chat(parts=asks(CALL), **USAGE)
BY_DETAILS = span(
    "a1",
    1,
    {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt"},
    [
        (
            "gen_ai.client.inference.operation.details",
            {
                "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "refund A-17"}]}],
                "gen_ai.output.messages": [{"role": "assistant", "parts": asks(CALL)}],
            },
        )
    ],
)
BY_EVENTS = span(
    "a1",
    1,
    {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt"},
    [
        ("gen_ai.system.message", {"content": "be brief"}),
        ("gen_ai.user.message", {"content": "refund A-17"}),
        (
            "gen_ai.choice",
            {"index": 0, "finish_reason": "tool_calls", "message": json.dumps({"tool_calls": [TEXT_CALL]})},
        ),
    ],
)
BY_EVENT_CONTENT = span(
    "a1",
    1,
    {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt"},
    [
        ("gen_ai.user.message", {"gen_ai.event.content": json.dumps({"content": "refund A-17"})}),
        ("gen_ai.choice", {"gen_ai.event.content": json.dumps({"message": {"tool_calls": [TEXT_CALL]}})}),
    ],
)
BY_NUMBERS = span(
    "a1",
    1,
    {
        "llm.request.type": "chat",
        "gen_ai.request.model": "gpt",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "refund A-17",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "refund",
        "gen_ai.completion.0.tool_calls.0.arguments": json.dumps(CALL["arguments"]),
        "llm.request.functions.0.name": "refund",
        "llm.request.functions.0.parameters": json.dumps({"type": "object"}),
    },
)
WAYS = {
    "messages": BY_MESSAGES,
    "details": BY_DETAILS,
    "events": BY_EVENTS,
    "event-content": BY_EVENT_CONTENT,
    "numbers": BY_NUMBERS,
}


def read(path: Path, *spans: dict[str, Any]) -> Traces:
    return read_traces([written(path / "traces.json", otlp(*spans))])


@pytest.mark.parametrize("way", list(WAYS))
def test_every_way_to_tell_of_an_answer_is_read_alike(way: str, tmp_path: Path) -> None:
    found = read(tmp_path, WAYS[way])
    ((name, step),) = found.answers
    assert name == f"{TRACE}/a1"
    assert step.response is not None
    assert [(call.id, call.name, call.arguments) for call in step.response.tool_calls] == [
        ("c1", "refund", CALL["arguments"])
    ]
    assert [message.content for message in step.request.messages if message.role == "user"] == ["refund A-17"]
    assert step.request.model == "gpt"
    assert found.skipped == {}


@pytest.mark.parametrize("way", ["messages", "numbers"])
def test_tools_on_offer_are_known(way: str, tmp_path: Path) -> None:
    (_, step) = read(tmp_path, WAYS[way]).answers[0]
    assert [tool.name for tool in step.request.tools] == ["refund"]


def test_usage_and_ending_are_told(tmp_path: Path) -> None:
    (_, step) = read(tmp_path, BY_MESSAGES).answers[0]
    assert step.response is not None
    assert step.response.usage == {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    assert step.response.finish_reason == "stop"


def test_a_whole_trace_is_evidence_in_the_order_it_happened(tmp_path: Path) -> None:
    ran = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refund", "gen_ai.tool.call.id": "c1"}
    results = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"ok": True}}]}]
    (trace,) = read(
        tmp_path,
        chat("a3", 30, parts=says("done"), **{"gen_ai.input.messages": json.dumps(results)}),
        span("a2", 20, {**ran, "gen_ai.tool.call.result": "ok"}),
        chat("a1", 10, parts=asks(CALL)),
        span("a0", 5, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"}),
    ).traces
    evidence = trace.evidence
    assert [type(event) for event in evidence.events] == [ModelCall, ToolCall, ModelCall]
    (call,) = evidence.calls
    assert (call.tool, call.args, call.answer and call.answer.text) == ("refund", CALL["arguments"], "ok")
    assert evidence.output == "done"
    last = trace.steps[2]
    assert isinstance(last, ModelStep)
    assert [(message.role, message.content) for message in last.request.messages] == [("tool", '{"ok":true}')]


def test_without_executions_the_calls_are_those_that_were_asked_for(tmp_path: Path) -> None:
    (trace,) = read(tmp_path, BY_MESSAGES).traces
    assert [call.tool for call in trace.evidence.calls] == ["refund"]


def test_arguments_that_are_no_object_stay_what_they_are(tmp_path: Path) -> None:
    (_, step) = read(tmp_path, chat(parts=asks({**CALL, "arguments": '{"order": '}))).answers[0]
    assert step.evidence.calls[0].malformed == '{"order": '


@pytest.mark.parametrize(
    ("silent", "why"),
    [
        (chat(), "without its content"),
        (chat(parts=[]), "without its content"),
        (span("a1", 1, {"gen_ai.operation.name": "chat"}, [("gen_ai.choice", {"index": 0})]), "without its content"),
        (chat(parts=asks({"id": "c1", "name": "refund"})), "without the arguments"),
        (
            span(
                "a1",
                1,
                {"gen_ai.operation.name": "chat"},
                [("gen_ai.choice", {"tool_calls": [{"id": "c1", "function": {"name": "refund"}}]})],
            ),
            "without the arguments",
        ),
        (span("a1", 1, {"gen_ai.operation.name": "execute_tool"}), "does not say of which"),
        (span("a1", 1, {"gen_ai.tool.name": "refund"}), "a tool without its arguments"),
    ],
    ids=["nothing", "no-parts", "choice", "no-arguments", "no-arguments-in-event", "no-tool", "no-tool-arguments"],
)
def test_what_was_not_captured_is_not_made_up(silent: dict[str, Any], why: str, tmp_path: Path) -> None:
    found = read(tmp_path, silent)
    assert found.answers == ()
    assert not any(trace.evidence.calls for trace in found.traces)
    assert [count for said, count in found.skipped.items() if why in said] == [1]


def test_a_model_that_failed_is_a_failure_and_no_answer(tmp_path: Path) -> None:
    failed = span(
        "a1",
        1,
        {"gen_ai.operation.name": "chat", "error.type": "RateLimitError"},
        status={"code": 2, "message": "slow down"},
    )
    found = read(tmp_path, failed)
    (event,) = found.traces[0].evidence.events
    assert isinstance(event, ModelCall)
    assert event.failure is not None
    assert (event.failure.kind, event.failure.message) == ("RateLimitError", "slow down")
    assert found.answers == ()


def test_the_same_span_exported_twice_counts_once(tmp_path: Path) -> None:
    path = written(tmp_path / "traces.jsonl", otlp(BY_MESSAGES), otlp(BY_MESSAGES))
    assert len(read_traces([path, path]).answers) == 1


def test_spans_of_other_things_are_no_loss(tmp_path: Path) -> None:
    found = read(tmp_path, span("b1", 1, {"http.request.method": "GET"}), BY_MESSAGES)
    assert (found.others, found.skipped, len(found.answers)) == (1, {}, 1)


def test_what_the_sdk_prints_is_read(tmp_path: Path) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    guard = Guard.from_text(BUNDLE, telemetry=Telemetry(tracer_provider=provider, content=True))
    tracer = provider.get_tracer("test")
    with tracer.start_as_current_span("invoke_agent"):
        output = json.dumps([{"role": "assistant", "parts": asks(CALL)}])
        said = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": output}
        with tracer.start_as_current_span("chat gpt", attributes=said):
            pass
        guard.run_sync("refund", CALL["arguments"], lambda **_: "ok")
    provider.shutdown()
    path = tmp_path / "console.txt"
    path.write_text("\n".join(span.to_json() for span in exporter.get_finished_spans()))
    (trace,) = read_traces([path]).traces
    assert [type(step) for step in trace.steps] == [ModelStep, ToolStep]
    assert [(call.tool, dict(call.args)) for call in trace.evidence.calls] == [("refund", CALL["arguments"])]
