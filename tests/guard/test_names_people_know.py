"""What users of the original import is there, and telemetry speaks the names they look for."""

from __future__ import annotations

import importlib

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import bylaw
import bylaw.callguard
from bylaw.callguard import CallGuard, CallGuardDenied, Telemetry

BUNDLE = """
apiVersion: callguard/v1
kind: ContractBundle
metadata: {name: names}
defaults: {mode: enforce}
contracts:
  - id: no-secrets
    type: pre
    tool: read
    when: {args.path: {contains: .env}}
    then: {effect: deny, message: "{args.path} is secret"}
"""


def read(path: str) -> str:
    return path


def test_everything_offered_is_there() -> None:
    for module in (bylaw, bylaw.callguard):
        assert [name for name in module.__all__ if getattr(module, name, None) is None] == []


def test_what_is_not_offered_is_said_as_python_says_it() -> None:
    with pytest.raises(AttributeError, match="RabbitBackend"):
        getattr(importlib.import_module("bylaw.callguard"), "RabbitBackend")  # noqa: B009 what is looked for is the name


def test_a_guard_made_from_a_file_is_one_of_the_class_that_made_it() -> None:
    assert type(CallGuard.from_text(BUNDLE)) is CallGuard


def test_spans_and_counters_carry_the_names_of_the_format() -> None:
    spans, metrics = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    telemetry = Telemetry(tracer_provider=tracers, meter_provider=MeterProvider([metrics]))
    guard = CallGuard.from_text(BUNDLE, telemetry=telemetry)
    with pytest.raises(CallGuardDenied):
        guard.run_sync("read", {"path": ".env"}, read)
    (span,) = spans.get_finished_spans()
    attributes = dict(span.attributes or {})
    assert attributes["callguard.policy_version"] == guard.policy_version
    assert attributes["callguard.policy_error"] is False
    assert not [name for name in attributes if name.startswith("bylaw.")]
    found = metrics.get_metrics_data()
    assert found is not None
    names = {
        metric.name
        for resource in found.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert "callguard.calls.denied" in names
