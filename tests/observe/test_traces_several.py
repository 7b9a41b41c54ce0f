"""Several answers of one call are each judged, and what can't be read is called what it is."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from bylaw.observe.traces import Traces, read_traces

from .exports import CALL, asks, chat, otlp, says, span, written

BYLAW = Path(sysconfig.get_path("scripts")) / "bylaw"
DELETE: dict[str, Any] = {"id": "c2", "name": "delete", "arguments": {}}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt"}
FUNCTION = {"id": "c2", "type": "function", "function": {"name": "delete", "arguments": "{}"}}


def output(*messages: Any) -> dict[str, Any]:
    return {"gen_ai.output.messages": json.dumps(messages)}


def message(parts: list[Any]) -> dict[str, Any]:
    return {"role": "assistant", "parts": parts}


def read(tmp_path: Path, value: Any) -> Traces:
    return read_traces([written(tmp_path / "t.json", value)])


def called(found: Traces) -> dict[str, list[str]]:
    return {
        name.rpartition("/")[2]: [call.name for call in step.response.tool_calls]
        for name, step in found.answers
        if step.response is not None
    }


SPANS: dict[str, dict[str, Any]] = {
    "messages": span("a", 1, {**CHAT, **output(message(says("hi")), message(asks(DELETE)))}),
    "events": span(
        "a",
        1,
        CHAT,
        [
            ("gen_ai.choice", {"index": 0, "message": json.dumps({"content": "hi"})}),
            ("gen_ai.choice", {"index": 1, "message": json.dumps({"tool_calls": [FUNCTION]})}),
        ],
    ),
    "completion": span(
        "a",
        1,
        CHAT,
        [
            (
                "gen_ai.content.completion",
                {
                    "gen_ai.completion": json.dumps(
                        [{"role": "assistant", "content": "hi"}, {"role": "assistant", "tool_calls": [FUNCTION]}]
                    )
                },
            )
        ],
    ),
    "numbers": span(
        "a",
        1,
        {
            **CHAT,
            "gen_ai.completion.0.content": "hi",
            "gen_ai.completion.1.tool_calls.0.name": "delete",
            "gen_ai.completion.1.tool_calls.0.arguments": "{}",
        },
    ),
}


@pytest.mark.parametrize("given", SPANS.values(), ids=list(SPANS))
def test_each_of_several_answers_is_one(given: dict[str, Any], tmp_path: Path) -> None:
    assert called(read(tmp_path, otlp(given))) == {"a": [], "a#2": ["delete"]}


def generation(**fields: Any) -> dict[str, Any]:
    return {"message": {"lc": 1, "id": ["AIMessage"], "kwargs": {"content": "hi", **fields}}}


RUNS: dict[str, Any] = {
    "generations": {"generations": [[generation(), generation(tool_calls=[{"name": "delete", "args": {}}])]]},
    "batch": {"generations": [[generation()], [generation(tool_calls=[{"name": "delete", "args": {}}])]]},
    "choices": {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "hi"}},
            {"index": 1, "message": {"role": "assistant", "tool_calls": [FUNCTION]}},
        ]
    },
}


@pytest.mark.parametrize("outputs", RUNS.values(), ids=list(RUNS))
def test_each_of_several_answers_of_a_run_is_one(outputs: Any, tmp_path: Path) -> None:
    run = {"id": "r", "trace_id": "t", "run_type": "llm", "inputs": {"messages": []}, "outputs": outputs}
    assert called(read(tmp_path, run)) == {"r": [], "r#2": ["delete"]}


def test_one_that_can_t_be_read_says_nothing_against_the_others(tmp_path: Path) -> None:
    found = read(tmp_path, otlp(span("a", 1, {**CHAT, **output(message(asks(CALL)), "hi")})))
    assert called(found) == {"a": ["refund"]}
    assert found.skipped == {"a model call with an answer that is not a message": 1}
    assert found.traces[0].evidence.error_code == "not_captured"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"gen_ai.output.messages": '[{"role": "assist'}, "is no list of messages, or was cut off"),
        ({"gen_ai.output.messages": '{"role": "assistant"}'}, "is no list of messages"),
        (output(message([{"type": "tool_use", "name": "delete", "input": {}}])), "of the type `tool_use`"),
        (output(message([*says("hi"), {"name": "delete"}])), "a part without a type"),
    ],
    ids=["cut", "object", "unknown-part", "no-type"],
)
def test_damage_is_not_called_content_that_was_not_captured(given: dict[str, Any], why: str, tmp_path: Path) -> None:
    found = read(tmp_path, otlp(span("a", 1, {**CHAT, **given})))
    assert found.answers == ()
    (said,) = found.skipped
    assert why in said
    assert "not told to capture" not in said


def test_a_call_that_a_provider_made_itself_is_not_the_application_s(tmp_path: Path) -> None:
    part = {"type": "server_tool_call", "name": "web_search", "arguments": {}}
    assert called(read(tmp_path, otlp(span("a", 1, {**CHAT, **output(message([part]))})))) == {"a": []}


@pytest.mark.parametrize("applies", ["offered", "called", "always"])
def test_an_answer_that_was_passed_over_leaves_the_run_undecided(applies: str, tmp_path: Path) -> None:
    (tmp_path / "pack" / "contracts").mkdir(parents=True)
    (tmp_path / "pack" / "contracts" / "refund.yaml").write_text("tool: refund\nexpect_tools: [refund]\n")
    damaged = span("a2", 2, {**CHAT, "gen_ai.output.messages": "[{"})
    written(tmp_path / "t.json", otlp(chat("a1", parts=asks(CALL)), damaged))
    ran = subprocess.run(
        [BYLAW, "pack", "run", "pack", "--traces", "t.json", "--applies", applies],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert ran.returncode == 3, ran.stdout + ran.stderr
    assert "passed over 1: a model call whose `gen_ai.output.messages`" in ran.stderr
