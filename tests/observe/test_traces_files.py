"""Files of traces as people have them: a value, a line each, half a line, and anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bylaw.observe import drafts, from_traces, write_pack
from bylaw.observe.traces import read_traces

from .exports import CALL, TRACE, asks, chat, otlp, says, written
from .seeing import judged, promote_all


def test_a_line_that_is_cut_off_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    whole = json.dumps(otlp(chat(parts=asks(CALL))))
    path.write_text(f"{whole[:200]}\n{whole}\nnot json\n\n")
    found = read_traces([path])
    assert len(found.answers) == 1
    assert found.skipped == {f"{path}:1 is not JSON": 1, f"{path}:3 is not JSON": 1}


def test_values_over_several_lines_follow_each_other(tmp_path: Path) -> None:
    one, two = otlp(chat("a1", parts=asks(CALL))), otlp(chat("a2", parts=says("done")))
    found = read_traces([written(tmp_path / "traces.txt", one, two, indent=4)])
    assert [name for name, _ in found.answers] == [f"{TRACE}/a1", f"{TRACE}/a2"]


def test_a_broken_value_does_not_take_the_next_one_with_it(tmp_path: Path) -> None:
    path = tmp_path / "traces.txt"
    good = json.dumps(otlp(chat(parts=asks(CALL))), indent=4)
    path.write_text(good[: len(good) // 2] + "\n" + good)
    found = read_traces([path])
    assert len(found.answers) == 1
    assert found.skipped == {f"{path}:1 is not JSON": 1}


def test_many_bad_lines_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text("{ no\n" * 100)
    found = read_traces([path])
    assert sum(found.skipped.values()) == 100
    assert len(found.skipped) == 21


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert [said for said in read_traces([tmp_path / "none"]).skipped if "none" in said]


def test_something_else_is_said(tmp_path: Path) -> None:
    found = read_traces([written(tmp_path / "t.jsonl", {"resourceLogs": []}, 5, "text")])
    assert found.skipped == {"a value that is neither a span nor a run": 3}


@pytest.mark.parametrize("depth", [150, 900, 100_000])
def test_a_value_that_is_nested_deep_is_said(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    run = '{"run_type": "llm", "id": "r", "outputs": {"content": ' + "[" * depth + "]" * depth + "}}"
    attribute = '{"kvlistValue": {"values": [{"key": "a", "value": ' * depth + "1" + "}]}}" * depth
    span = '{"traceId": "t", "spanId": "s", "attributes": [{"key": "gen_ai.tool.name", "value": ' + attribute + "}]}"
    path.write_text("\n".join([run, span, "[" * depth + "]" * depth, json.dumps(otlp(chat(parts=asks(CALL))))]))
    found = read_traces([path])
    assert len(found.answers) == 1
    assert found.skipped


def test_answers_become_drafts_that_hold(tmp_path: Path) -> None:
    other = {**CALL, "arguments": {"order": "A-18", "amount": 1.5, "note": "late"}}
    spans = [chat("a1", parts=asks(CALL)), chat("a2", parts=asks(other)), chat("a3", parts=says("done"))]
    gathered = from_traces([written(tmp_path / "t.json", otlp(*spans))])
    assert (gathered.used, gathered.skipped) == (3, {})
    found = drafts(gathered.observations)
    assert [(draft.name, draft.seen) for draft in found] == [("refund", 2), ("answer", 1)]
    write_pack(tmp_path / "pack", found)
    promote_all(tmp_path / "pack")
    assert judged(tmp_path / "pack").state == "held"


def test_secrets_in_traces_stay_out_of_drafts(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "login", "arguments": {"password": "hunter2-and-more"}}
    gathered = from_traces([written(tmp_path / "t.json", otlp(chat(parts=asks(call))))])
    assert "hunter2" not in str(gathered.observations)


OF_SPANS = [
    "resourceSpans",
    "scopeSpans",
    "spans",
    "attributes",
    "key",
    "value",
    "events",
    "context",
    "traceId",
    "spanId",
]
OF_RUNS = [
    "run_type",
    "inputs",
    "outputs",
    "messages",
    "generations",
    "message",
    "kwargs",
    "lc",
    "name",
    "type",
    "id",
]
OF_CONTENT = ["content", "parts", "tool_calls", "gen_ai.operation.name", "gen_ai.output.messages", "gen_ai.tool.name"]
NUMBERED = ["gen_ai.completion.0.content", "gen_ai.completion.0.tool_calls.0.name", "gen_ai.input.messages"]
KEYS = st.sampled_from([*OF_SPANS, *OF_RUNS, *OF_CONTENT, *NUMBERED])
WORDS = st.sampled_from(["chat", "execute_tool", "llm", "tool", "tool_call", "text", "ai", "[{}]", "{", "null", "x"])
junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the file is written anew each time
@given(value=junk, operation=WORDS, kind=WORDS)
def test_nothing_in_a_file_breaks_the_reading(tmp_path: Path, value: Any, operation: str, kind: str) -> None:
    said = {"gen_ai.operation.name": operation, "gen_ai.output.messages": value, "gen_ai.tool.call.arguments": value}
    span = {"context": {"trace_id": "t", "span_id": "s"}, "attributes": said, "events": value}
    run = {"run_type": kind, "id": "r", "inputs": value, "outputs": value, "child_runs": value}
    found = read_traces([written(tmp_path / "t.jsonl", value, span, run)])
    for trace in found.traces:
        assert trace.evidence.events is not None
    for _, step in found.answers:
        assert step.evidence.events
