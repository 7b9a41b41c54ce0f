"""Files to traces, with everything counted that could not be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bylaw.formats.packs import json_files
from bylaw.observe.traces import genai, langsmith, spans
from bylaw.observe.traces.trace import NO_ARGUMENTS, NO_NAME, ModelStep, ToolStep, Trace, Unusable
from bylaw.observe.traces.values import NotJson, values_in
from bylaw.wire import CallAsked

Step = ModelStep | ToolStep

_MOST_NAMED = 20
_UNKNOWN = "a value that is neither a span nor a run"


class Traces(msgspec.Struct, frozen=True, kw_only=True):
    """`others` counts the spans and runs of something else than models and tools, which are no loss."""

    traces: tuple[Trace, ...] = ()
    skipped: Mapping[str, int] = {}
    others: int = 0

    @property
    def answers(self) -> tuple[tuple[str, ModelStep], ...]:
        """Every answer with content, named for its trace and its place there."""
        return tuple(
            (f"{trace.id}/{step.id or f'answer {number}'}", step)
            for trace in self.traces
            for number, step in enumerate(trace.answers, 1)
        )

    @property
    def unread(self) -> Mapping[str, int]:
        """Of what was skipped that which may have been an answer; executions of tools are none."""
        return {why: count for why, count in self.skipped.items() if why not in (NO_ARGUMENTS, NO_NAME)}


def read_traces(files: Sequence[Path]) -> Traces:
    """Spans of OpenTelemetry and runs of LangSmith, in any of the files, each trace from wherever its parts are."""
    reading = _Reading()
    for file in files:
        try:
            for value in values_in(file):
                reading.take(value, file)
        except json_files.Unusable as error:
            reading.skipped[str(error)] += 1
    return reading.read()


class _Reading:
    def __init__(self) -> None:
        self.skipped: Counter[str] = Counter()
        self.named = 0
        self.others = 0
        self.steps: dict[str, list[tuple[float, Step]]] = {}
        self.missing: dict[str, list[str]] = {}
        self.seen: set[tuple[str, str]] = set()

    def take(self, value: Any, file: Path) -> None:
        try:
            self.add(value, file)
        except RecursionError:
            self.skipped["a value that is nested too deep"] += 1

    def add(self, value: Any, file: Path) -> None:
        if isinstance(value, NotJson):
            self._unread(f"{file}:{value.line} is not JSON")
        elif isinstance(value, list):
            for inner in value:
                self.add(inner, file)
        elif not isinstance(value, Mapping):
            self.skipped[_UNKNOWN] += 1
        elif spans.is_export(value):
            for span in spans.exported_spans(value):
                self._span(span)
        elif spans.is_span(value):
            self._span(spans.read_span(value))
        elif langsmith.is_run(value):
            for run in langsmith.runs_in(value):
                self._run(run, value)
        elif (inner := next((value[key] for key in ("runs", "spans", "data") if key in value), None)) is not None:
            self.add(inner, file)
        else:
            self.skipped[_UNKNOWN] += 1

    def _unread(self, what: str) -> None:
        self.named += 1
        self.skipped[what if self.named <= _MOST_NAMED else "and more that is not JSON"] += 1

    def _span(self, span: spans.Span) -> None:
        self._step(span.trace, span.id, span.began, lambda: genai.steps_of(span))

    def _run(self, run: Mapping[str, Any], root: Mapping[str, Any]) -> None:
        trace = str(run.get("trace_id") or root.get("trace_id") or root.get("id") or "")
        began = spans.moment(run.get("start_time"))
        self._step(trace, str(run.get("id") or ""), began, lambda: langsmith.steps_of(run))

    def _step(self, trace: str, id: str, began: float, read: Callable[[], Sequence[Step | Unusable]]) -> None:  # noqa: A002 (its name)
        if id and (trace, id) in self.seen:
            return
        self.seen.add((trace, id))
        try:
            steps = read()
        except Unusable as error:
            steps = [error]
        self.others += not steps
        for step in steps:
            if isinstance(step, Unusable):
                self.skipped[str(step)] += 1
                self.missing.setdefault(trace, []).append(str(step))
            else:
                self.steps.setdefault(trace, []).append((began, step))

    def read(self) -> Traces:
        traces = tuple(self._trace(name) for name in dict.fromkeys([*self.steps, *self.missing]))
        for step in (step for trace in traces for step in trace.steps):
            if isinstance(step, ToolStep) and step.arguments is None:
                self.skipped[NO_ARGUMENTS] += 1
        return Traces(traces=traces, skipped=dict(self.skipped), others=self.others)

    def _trace(self, name: str) -> Trace:
        steps = [step for _, step in sorted(self.steps.get(name, ()), key=lambda timed: timed[0])]
        asked = {call.id: call.arguments for step in steps for call in _asked_for(step) if call.id}
        return Trace(
            id=name,
            steps=tuple(_with_arguments(step, asked) for step in steps),
            missing=tuple(self.missing.get(name, ())),
        )


def _asked_for(step: Step) -> tuple[CallAsked, ...]:
    return step.response.tool_calls if isinstance(step, ModelStep) and step.response is not None else ()


def _with_arguments(step: Step, asked: Mapping[str, Any]) -> Step:
    """An execution that does not tell its arguments has those of the call it serves."""
    if isinstance(step, ToolStep) and step.arguments is None and step.call in asked:
        return msgspec.structs.replace(step, arguments=asked[step.call])
    return step
