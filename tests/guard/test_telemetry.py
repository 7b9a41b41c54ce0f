"""What OpenTelemetry is told of governed calls, with its real SDK."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Sampler
from opentelemetry.trace import SpanKind, StatusCode

from bylaw.guard.audit.events import AuditEvent
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.telemetry import Telemetry

BUNDLE = """
apiVersion: callguard/v1
kind: ContractBundle
metadata: {name: telemetry}
defaults: {mode: enforce}
contracts:
  - id: no-secrets
    type: pre
    tool: read
    when: {args.path: {contains: .env}}
    then: {effect: deny, message: "{args.path} is secret"}
  - id: not-yet
    type: pre
    mode: observe
    tool: read
    when: {args.path: {contains: draft}}
    then: {effect: deny, message: "{args.path} is a draft"}
  - id: hide
    type: post
    tool: read
    when: {output.text: {contains: classified}}
    then: {effect: warn, message: hidden, output: withhold}
  - id: odd
    type: post
    tool: count
    when: {output.text: {gt: 1}}
    then: {effect: warn, message: odd}
"""


class Watch:
    """An SDK that keeps everything it is told."""

    def __init__(self, *, sampler: Sampler | None = None) -> None:
        self.exporter = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        self.tracer_provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meter_provider = MeterProvider([self.reader], shutdown_on_exit=False)
        self.tracer = self.tracer_provider.get_tracer("the tool's own")

    def guard(self, bundle: str = BUNDLE, *, content: bool = False, **options: Any) -> Guard:
        telemetry = Telemetry(
            prefix="acme",
            content=content,
            tracer_provider=self.tracer_provider,
            meter_provider=self.meter_provider,
        )
        return Guard.from_text(bundle, telemetry=telemetry, **options)

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    @property
    def span(self) -> ReadableSpan:
        (span,) = self.spans
        return span

    @property
    def attributes(self) -> dict[str, Any]:
        return dict(self.span.attributes or {})

    def counted(self) -> dict[str, list[tuple[int | float, dict[str, Any]]]]:
        data = self.reader.get_metrics_data()
        return {
            metric.name: [(point.value, dict(point.attributes or {})) for point in metric.data.data_points]  # type: ignore[union-attr]  # counters have sums
            for resource in (data.resource_metrics if data is not None else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def close(self) -> None:
        self.tracer_provider.shutdown()
        self.meter_provider.shutdown()


@pytest.fixture
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    made.close()


def read(path: str) -> str:
    return f"what {path} says"


def test_a_call_is_a_span_that_says_what_was_decided(watch: Watch) -> None:
    guard = watch.guard()
    guard.run_sync("read", {"path": "a.txt"}, read, call_id="call-1")
    assert (watch.span.name, watch.span.kind) == ("execute_tool read", SpanKind.INTERNAL)
    assert watch.span.status.status_code is StatusCode.UNSET
    assert watch.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read",
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.tool.type": "function",
        "acme.policy_version": guard.policy_version,
        "acme.policy_error": False,
        "acme.decision": "allow",
    }


def test_a_denied_call_is_a_span_with_who_denied_it(watch: Watch) -> None:
    with pytest.raises(Denied):
        watch.guard().run_sync("read", {"path": ".env"}, pytest.fail)
    assert (watch.span.status.status_code, watch.span.status.description) == (StatusCode.ERROR, ".env is secret")
    assert watch.attributes["error.type"] == "denied"
    assert watch.attributes["acme.decision"] == "deny"
    assert watch.attributes["acme.decision_source"] == "yaml_precondition"
    assert watch.attributes["acme.decision_name"] == "no-secrets"


class TooMuch(Exception):
    """A tool's own."""


@pytest.mark.parametrize(
    ("error", "kind"), [(TooMuch("password=hunter22x"), f"{__name__}.TooMuch"), (OSError("gone"), "OSError")]
)
def test_a_tool_that_fails_is_an_error_of_the_tool(watch: Watch, error: Exception, kind: str) -> None:
    def failing(**_: Any) -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        watch.guard().run_sync("read", {"path": "a.txt"}, failing)
    assert raised.value is error
    assert (watch.attributes["error.type"], watch.attributes["acme.decision"]) == (kind, "allow")
    assert watch.span.status.status_code is StatusCode.ERROR
    assert "hunter22x" not in str(watch.span.status.description)


def test_a_denial_that_comes_out_of_the_tool_is_a_failure_of_the_tool(watch: Watch) -> None:
    inner = Guard.from_text(BUNDLE)

    def outer() -> Any:
        return inner.run_sync("read", {"path": ".env"}, read)

    with pytest.raises(Denied):
        watch.guard().run_sync("ask", {}, outer)
    assert (watch.attributes["acme.decision"], watch.attributes["error.type"]) == (
        "allow",
        f"{Denied.__module__}.{Denied.__qualname__}",
    )


def test_what_the_tool_does_is_inside_its_span(watch: Watch) -> None:
    guard = watch.guard()

    def with_a_span(path: str) -> str:
        with watch.tracer.start_as_current_span(f"work on {path}"):
            return path

    async def in_time(path: str) -> str:
        await asyncio.sleep(0)
        return with_a_span(path)

    async def both() -> None:
        await asyncio.gather(*(guard.run("read", {"path": path}, in_time, call_id=path) for path in "ab"))

    with watch.tracer.start_as_current_span("agent") as agent:
        guard.run_sync("read", {"path": "c"}, with_a_span, call_id="c")
        asyncio.run(both())
        assert trace.get_current_span() is agent
    calls = {span.context.span_id: span for span in watch.spans if span.name == "execute_tool read"}
    parents = {span.name: span.parent for span in watch.spans if span.name.startswith("work")}
    assert len(calls) == len(parents) == 3
    for path in "abc":
        parent = parents[f"work on {path}"]
        assert parent is not None
        above = calls[parent.span_id]
        assert (above.attributes or {})["gen_ai.tool.call.id"] == path
        assert above.parent == agent.get_span_context()


def test_arguments_and_results_are_told_only_to_who_asks(watch: Watch) -> None:
    args = {"path": "a.txt", "password": "hunter22x", "lines": [1, 2]}

    def changing(lines: list[int], **_: Any) -> Any:
        lines.append(3)
        return {"token": "hunter23x", "rows": 2}

    watch.guard().run_sync("read", args, changing)
    assert not [name for name in watch.attributes if "arguments" in name or "result" in name]
    watch.exporter.clear()
    watch.guard(content=True).run_sync("read", args, changing)
    assert watch.attributes["gen_ai.tool.call.arguments"] == '{"path":"a.txt","password":"[redacted]","lines":[1,2]}'
    assert watch.attributes["gen_ai.tool.call.result"] == '{"token":"[redacted]","rows":2}'


def test_a_result_that_is_withheld_is_not_told_either(watch: Watch) -> None:
    given = watch.guard(content=True).run_sync("read", {"path": "a"}, lambda path: f"classified {path}")
    assert watch.attributes["gen_ai.tool.call.result"] == given
    assert "classified" not in given


def test_what_was_decided_is_counted(watch: Watch) -> None:
    guard = watch.guard()
    for path in ("a", "b", "draft", ".env", "draft.env"):
        try:
            guard.run_sync("read", {"path": path}, read)
        except Denied:
            continue
    tool = {"gen_ai.tool.name": "read"}
    by = {"acme.decision_source": "yaml_precondition"}
    assert watch.counted() == {
        "acme.calls.allowed": [(3, tool)],
        "acme.calls.denied": [(2, tool | by | {"acme.decision_name": "no-secrets"})],
        "acme.calls.would_deny": [(2, tool | by | {"acme.decision_name": "not-yet"})],
    }


@pytest.mark.parametrize(("tool", "args"), [("read", {"path": 3}), ("count", {})])
def test_a_contract_that_can_t_be_judged_is_told(watch: Watch, tool: str, args: dict[str, Any]) -> None:
    """Before the tool or after it."""
    try:
        watch.guard().run_sync(tool, args, lambda **_: "many")
    except Denied:
        assert tool == "read"
    assert watch.attributes["acme.policy_error"] is True


def test_a_call_that_can_t_be_recorded_is_told_as_denied(watch: Watch) -> None:
    class Broken:
        def emit(self, event: AuditEvent, /) -> None:
            raise OSError("disk full")

        def flush(self) -> None:
            pass

        def close(self) -> None:
            pass

    with pytest.raises(Denied):
        watch.guard(audit_sink=Broken(), strict_audit=True).run_sync("read", {"path": "a"}, pytest.fail)
    assert (watch.attributes["acme.decision"], watch.attributes["acme.decision_name"]) == ("deny", "audit")
    assert list(watch.counted()) == ["acme.calls.denied"]


def test_a_call_that_is_cancelled_ends_its_span(watch: Watch) -> None:
    async def cancelled() -> None:
        running = asyncio.Event()

        async def forever(**_: Any) -> None:
            running.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(watch.guard().run("read", {"path": "a"}, forever))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert watch.attributes["error.type"] == "asyncio.exceptions.CancelledError"


def test_a_span_tells_the_policy_it_began_under(watch: Watch) -> None:
    guard = watch.guard()
    first = guard.policy_version
    other = watch.guard(BUNDLE.replace("is secret", "is private"))
    guard.run_sync("read", {"path": "a"}, read)
    other.run_sync("read", {"path": "a"}, read)
    told = [dict(span.attributes or {})["acme.policy_version"] for span in watch.spans]
    assert told == [first, other.policy_version]
    assert told[0] != told[1]


def test_calls_that_are_not_sampled_are_counted() -> None:
    watch = Watch(sampler=ALWAYS_OFF)
    assert watch.guard(content=True).run_sync("read", {"path": "a"}, read) == "what a says"
    assert (watch.spans, list(watch.counted())) == ([], ["acme.calls.allowed"])
    watch.close()


class Failing(SpanProcessor, Sampler):
    """Breaks where it is asked to."""

    def __init__(self, where: str) -> None:
        self.where = where

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        self._reach("start")

    def on_end(self, span: ReadableSpan) -> None:
        self._reach("end")

    def should_sample(self, *_: Any, **__: Any) -> Any:
        self._reach("sample")
        return ALWAYS_OFF.should_sample(None, 0, "")

    def get_description(self) -> str:
        return self.where

    def _reach(self, where: str) -> None:
        if where == self.where:
            raise RuntimeError("no telemetry today")


@pytest.mark.parametrize("where", ["start", "end", "sample"])
def test_telemetry_that_fails_changes_nothing(where: str, caplog: pytest.LogCaptureFixture) -> None:
    failing = Failing(where)
    watch = Watch(sampler=failing if where == "sample" else None)
    watch.tracer_provider.add_span_processor(failing)
    guard = watch.guard(content=True)
    with caplog.at_level(logging.WARNING, logger="bylaw.guard"):
        for _ in range(3):
            assert guard.run_sync("read", {"path": "a"}, read) == "what a says"
            with pytest.raises(Denied, match="secret"):
                guard.run_sync("read", {"path": ".env"}, pytest.fail)
    assert [record.message for record in caplog.records] == ["telemetry failed: RuntimeError: no telemetry today"]
    assert trace.get_current_span() is trace.INVALID_SPAN
    watch.close()


def in_a_process(program: str) -> str:
    """With globals of its own: a provider can be set but once."""
    given = f"BUNDLE = {BUNDLE!r}\n" + program
    ended = subprocess.run([sys.executable, "-c", given], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


CALL = """
from bylaw.guard.guard import Guard
guard = Guard.from_text(BUNDLE, **options)
guard.run_sync("read", {"path": "a"}, lambda path: path)
"""
LOADED = "import sys; print(sorted(name for name in sys.modules if name.startswith('opentelemetry')))"
PROVIDER = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
set_it = lambda: trace.set_tracer_provider(provider)
"""
TOLD = "print([name for span in exporter.get_finished_spans() for name in span.attributes if 'decision' in name])"


def test_who_has_nothing_to_do_with_it_loads_none_of_it() -> None:
    assert in_a_process("options = {}" + CALL + LOADED) == "[]"
    assert in_a_process("options = {'telemetry': False}" + CALL + LOADED) == "[]"


def test_a_provider_that_is_set_is_told() -> None:
    assert in_a_process(PROVIDER + "set_it(); options = {}" + CALL + TOLD) == "['bylaw.decision']"
    assert in_a_process(PROVIDER + "set_it(); options = {'telemetry': False}" + CALL + TOLD) == "[]"
    assert in_a_process(PROVIDER + "options = {}" + CALL + TOLD) == "[]"


def test_a_guard_that_is_asked_to_tell_may_be_made_before_the_provider_is_set() -> None:
    late = "set_it()\nguard.run_sync('read', {'path': 'a'}, lambda path: path)\n"
    assert in_a_process(PROVIDER + "options = {'telemetry': True}" + CALL + late + TOLD) == "['bylaw.decision']"


def test_who_asks_for_it_must_have_it() -> None:
    without = "import sys; sys.modules['opentelemetry'] = None\noptions = {'telemetry': True}"
    said = "try:\n" + "".join(f"    {line}\n" for line in CALL.splitlines())
    program = without + "\n" + said + "except Exception as error: print(type(error).__name__, error)"
    assert in_a_process(program) == "Misuse telemetry needs OpenTelemetry: install `bylaw[otel]`"
