"""Runs as LangSmith exports them become what a contract is judged on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bylaw.checks import ItemCheck, PolicyHolds
from bylaw.evidence import ModelCall, ToolCall
from bylaw.harness.judging import judge
from bylaw.language.templates import compile_template
from bylaw.observe.traces import Traces, read_traces
from bylaw.policy import make_policy, make_rule
from bylaw.verdict import Item
from bylaw.wire import CODECS, CallAsked, Response

from .exports import CALL, written

LC_CALL = {"name": "refund", "args": CALL["arguments"], "id": "c1", "type": "tool_call"}
TOOLS = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object"}}}]


def serialised(kind: str, **fields: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": fields}


def run(kind: str, began: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"run-{began}",
        "trace_id": "trace-1",
        "run_type": kind,
        "name": "refund",
        "start_time": f"2026-01-01T00:00:{began:02}.000000",
        **fields,
    }


def llm(began: int = 1, *, outputs: Any, messages: Any = None, **fields: Any) -> dict[str, Any]:
    asked = messages or [
        serialised("SystemMessage", content="be brief"),
        serialised("HumanMessage", content="refund"),
    ]
    extra = {"invocation_params": {"model": "gpt", "tools": TOOLS, "temperature": 0.5}}
    return run("llm", began, inputs={"messages": [asked]}, outputs=outputs, extra=extra, **fields)


def generated(message: dict[str, Any]) -> dict[str, Any]:
    return {"generations": [[{"text": "", "type": "ChatGeneration", "message": message}]]}


def read(path: Path, *runs: Any) -> Traces:
    return read_traces([written(path / "runs.jsonl", *runs)])


AS_IT_CAME = Response(
    id="r",
    model="gpt",
    tool_calls=(CallAsked(name="refund", arguments=CALL["arguments"], id="c1"),),
    finish_reason="tool_calls",
)
OUTPUTS: dict[str, Any] = {
    "generation": generated(serialised("AIMessage", content="", tool_calls=[LC_CALL])),
    "blocks": generated(
        serialised(
            "AIMessage",
            content=[{"type": "tool_use", "id": "c1", "name": "refund", "input": CALL["arguments"]}],
            tool_calls=[LC_CALL],
        )
    ),
    "provider-s-own": generated(
        serialised(
            "AIMessage",
            content="",
            additional_kwargs={
                "tool_calls": [
                    {"id": "c1", "function": {"name": "refund", "arguments": json.dumps(CALL["arguments"])}}
                ]
            },
        )
    ),
    "data": {"messages": [{"type": "ai", "data": {"content": "", "tool_calls": [LC_CALL]}}]},
    "plain": {"output": {"type": "ai", "content": "", "tool_calls": [LC_CALL]}},
    "openai": CODECS["openai_chat"].encode(AS_IT_CAME),
    "openai-responses": CODECS["openai_responses"].encode(AS_IT_CAME),
    "anthropic": CODECS["anthropic_messages"].encode(AS_IT_CAME),
}


@pytest.mark.parametrize("way", list(OUTPUTS))
def test_every_shape_of_an_answer_is_read_alike(way: str, tmp_path: Path) -> None:
    found = read(tmp_path, llm(outputs=OUTPUTS[way]))
    ((name, step),) = found.answers
    assert (name, found.skipped) == ("trace-1/run-1", {})
    assert step.response is not None
    assert [(call.id, call.name, call.arguments) for call in step.response.tool_calls] == [
        ("c1", "refund", CALL["arguments"])
    ]


def test_the_request_is_in_normal_form(tmp_path: Path) -> None:
    (_, step) = read(tmp_path, llm(outputs=OUTPUTS["generation"])).answers[0]
    assert (step.request.model, step.request.system, step.request.temperature) == ("gpt", "be brief", 0.5)
    assert [(message.role, message.content) for message in step.request.messages] == [("user", "refund")]
    assert [tool.name for tool in step.request.tools] == ["refund"]


def test_a_provider_s_own_messages_are_read_too(tmp_path: Path) -> None:
    asked = {"model": "gpt", "messages": [{"role": "user", "content": "refund"}], "tools": TOOLS}
    (_, step) = read(tmp_path, run("llm", 1, inputs=asked, outputs=OUTPUTS["openai"])).answers[0]
    assert [message.content for message in step.request.messages] == ["refund"]
    assert [tool.name for tool in step.request.tools] == ["refund"]


def test_a_whole_trace_is_evidence_in_the_order_it_happened(tmp_path: Path) -> None:
    result = serialised("ToolMessage", content="ok", tool_call_id="c1")
    (trace,) = read(
        tmp_path,
        run("chain", 0, inputs={}, outputs={}),
        llm(3, outputs=generated(serialised("AIMessage", content="done")), messages=[result]),
        run("tool", 2, inputs={"input": "{'order': 'A-17'}"}, outputs={"output": result}, parent_run_id="run-0"),
        llm(1, outputs=OUTPUTS["generation"]),
    ).traces
    evidence = trace.evidence
    assert [type(event) for event in evidence.events] == [ModelCall, ToolCall, ModelCall]
    (call,) = evidence.calls
    assert (call.tool, call.args, call.answer and call.answer.text) == ("refund", CALL["arguments"], "ok")
    assert evidence.output == "done"


@pytest.mark.parametrize(
    "inputs", [CALL["arguments"], {"input": json.dumps(CALL["arguments"])}], ids=["by-name", "json"]
)
def test_the_arguments_of_a_tool_are_read(inputs: dict[str, Any], tmp_path: Path) -> None:
    (trace,) = read(tmp_path, run("tool", 1, inputs=inputs, outputs={"output": "ok"})).traces
    assert [dict(call.args) for call in trace.evidence.calls] == [CALL["arguments"]]


def test_arguments_as_python_shows_them_are_not_guessed(tmp_path: Path) -> None:
    found = read(tmp_path, run("tool", 1, inputs={"input": "{'order': 'A-17'}"}, outputs={"output": "ok"}))
    assert found.traces[0].evidence.calls == ()
    assert found.skipped == {"an execution of a tool without its arguments": 1}


def no_refunds() -> ItemCheck:
    rule = make_rule(
        item=Item(id="no-refunds", kind="pre"),
        tools=("refund",),
        condition=lambda call: True,
        message=compile_template("no"),
        action="deny",
    )
    policy = PolicyHolds(policy=make_policy(version="v", before=(rule,), after=(), limits=()))
    return ItemCheck(item=Item(id="policy", kind="policy"), demand=policy)


@pytest.mark.parametrize(
    ("inputs", "outcome"),
    [(CALL["arguments"], "failed"), ({"input": "{'order': 'A-17'}"}, "error")],
    ids=["captured", "not-captured"],
)
def test_a_policy_is_judged_on_a_trace_that_is_whole(inputs: Any, outcome: str, tmp_path: Path) -> None:
    (trace,) = read(tmp_path, run("tool", 1, inputs=inputs, outputs={"output": "ok"})).traces
    assert judge(no_refunds(), trace.evidence, broken={}).outcome == outcome


def test_calls_that_could_not_be_read_are_kept_as_they_came(tmp_path: Path) -> None:
    broken = {"name": "refund", "args": '{"order": ', "id": "c1", "error": "no JSON", "type": "invalid_tool_call"}
    message = serialised("AIMessage", content="", tool_calls=[], invalid_tool_calls=[broken])
    (_, step) = read(tmp_path, llm(outputs=generated(message))).answers[0]
    assert step.evidence.calls[0].malformed == '{"order": '


def test_runs_inside_runs_are_found(tmp_path: Path) -> None:
    inner = {key: value for key, value in llm(outputs=OUTPUTS["openai"]).items() if key != "trace_id"}
    root = {**run("chain", 0, inputs={}, outputs={}), "child_runs": [inner]}
    assert [name for name, _ in read(tmp_path, [root]).answers] == ["trace-1/run-1"]


def test_a_run_that_failed_is_a_failure(tmp_path: Path) -> None:
    found = read(tmp_path, llm(outputs=None, error="RateLimitError('slow down')"))
    (event,) = found.traces[0].evidence.events
    assert isinstance(event, ModelCall)
    assert event.failure is not None
    assert event.failure.message == "RateLimitError('slow down')"


def test_hidden_outputs_are_not_made_up(tmp_path: Path) -> None:
    found = read(tmp_path, llm(outputs={}))
    assert found.answers == ()
    assert [said for said in found.skipped if "without its content" in said]
