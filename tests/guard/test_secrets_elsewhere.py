"""A secret that is taken out of the arguments, or of who asks, is told nowhere else either."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bylaw.guard.audit import MemorySink
from bylaw.guard.audit.sinks import encoded
from bylaw.guard.decision import Denied
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import HookDecision, HookRegistration, Verdict, precondition
from bylaw.guard.telemetry import Telemetry

from .bundles import ALWAYS, Call, echo, guard_of, last, post, pre, watched

PASSWORD = "correct horse"
KEY = "battery staple"
KIM = Principal(user_id="kim", claims={"api_key": KEY})
ARGS = {"password": PASSWORD, "note": "first login"}

NEVER = pre("never", {"args.x": {"exists": True}})


def recorded(sink: MemorySink) -> str:
    return "\n".join(encoded(event).decode() for event in sink.events)


def test_a_message_keeps_its_words_for_the_agent_and_loses_the_secrets_for_the_audit(call: Call) -> None:
    said = "Login with {args.password} by {principal.claims.api_key} refused."
    guard, sink = watched(pre("p", ALWAYS, then={"message": said}))
    with pytest.raises(Denied) as raised:
        call(guard, "t", ARGS, echo, principal=KIM)
    assert raised.value.reason == f"Login with {PASSWORD} by {KEY} refused."
    assert last(sink).reason == "Login with [redacted] by [redacted] refused."
    assert last(sink).contracts_evaluated[0].message == last(sink).reason
    assert PASSWORD not in recorded(sink)
    assert KEY not in recorded(sink)


def test_an_observed_rule_tells_no_more(call: Call) -> None:
    guard, sink = watched(pre("p", ALWAYS, then={"message": "{args.password}"}, mode="observe"))
    call(guard, "t", ARGS, echo)
    assert sink.events[0].reason == "[redacted]"


def leak(**args: Any) -> Any:
    raise PermissionError(f"wrong password {args['password']!r}")


def test_an_answer_and_an_exception_tell_no_more(call: Call) -> None:
    guard, sink = watched(post("w", ALWAYS, then={"message": "{output.text}"}))
    outcome = call(guard, "t", ARGS, lambda **args: f"ok, {args['password']}")
    assert outcome.result == f"ok, {PASSWORD}"
    assert sink.events[1].result_summary == "ok, [redacted]"
    assert last(sink).reason == "ok, [redacted]"
    with pytest.raises(PermissionError, match=PASSWORD):
        call(guard, "t", ARGS, leak)
    assert last(sink).error == "PermissionError: wrong password '[redacted]'"
    assert PASSWORD not in recorded(sink)


def test_another_argument_tells_no_more(call: Call) -> None:
    guard, sink = watched(pre("p", {"args.x": {"exists": True}}))
    call(guard, "t", ARGS | {"command": f"login kim '{PASSWORD}'"}, echo)
    assert last(sink).tool_args["command"] == "login kim '[redacted]'"
    assert "command" in last(sink).redacted


def test_rules_in_python_tell_no_more(call: Call) -> None:
    hook = HookRegistration("before", "*", lambda envelope: HookDecision.deny(f"not {envelope.args['password']}"))
    guard, sink = watched(NEVER, hooks=[hook])
    with pytest.raises(Denied):
        call(guard, "t", ARGS, echo)
    assert last(sink).hooks_evaluated[0].message == "not [redacted]"
    rule = precondition("*")(lambda envelope: Verdict.fail("no", saw=envelope.args["password"]))
    guard, sink = watched(NEVER, contracts=[rule])
    with pytest.raises(Denied):
        call(guard, "t", ARGS, echo)
    assert last(sink).contracts_evaluated[-1].metadata == {"saw": "[redacted]"}


@pytest.mark.parametrize(
    "secret", ['it\'s "quoted"\n', "p" * 300, "geheimnisvoll-über"], ids=["escaped", "long", "odd"]
)
def test_it_is_found_as_it_is_escaped_and_cut(call: Call, secret: str) -> None:
    guard, sink = watched(pre("p", ALWAYS, then={"message": "{args.list} {args.password}"}))
    with pytest.raises(Denied):
        call(guard, "t", {"password": secret, "list": ["a", secret]}, echo)
    message = last(sink).reason or ""
    assert message.count("[redacted]") == 2
    assert "ppp" not in message.replace("[redacted]", "")


def test_a_number_and_what_is_inside_a_secret_are_found_too(call: Call) -> None:
    guard, sink = watched(pre("p", ALWAYS, then={"message": "{args.pin} {args.note}"}))
    with pytest.raises(Denied):
        call(guard, "t", {"pin": 20311999, "credentials": {"a": ["abcdefgh"]}, "note": "abcdefgh"}, echo)
    assert last(sink).reason == "[redacted] [redacted]"


def test_a_short_secret_is_not_looked_for(call: Call) -> None:
    guard, sink = watched(pre("p", ALWAYS, then={"message": "it is so"}))
    with pytest.raises(Denied):
        call(guard, "t", {"password": "so"}, echo)
    assert last(sink).reason == "it is so"


def test_a_secret_told_by_its_shape_is_found_without_it(call: Call) -> None:
    """Behind `Bearer` it looks like one; in the answer nothing tells it."""
    token = "abcdef0123456789"
    guard, sink = watched(post("w", {"output.text": {"contains": "x"}}))
    call(guard, "t", {"header": f"Bearer {token}"}, lambda **_: f"echo of {token}")
    assert last(sink).result_summary == "echo of [redacted]"


@pytest.mark.parametrize("content", [False, True], ids=["bare", "with-content"])
def test_spans_tell_no_more(call: Call, content: bool) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry = Telemetry(content=content, tracer_provider=provider)
    guard = guard_of(pre("p", {"args.x": {"exists": True}}, then={"message": "{args.password}"}), telemetry=telemetry)
    with pytest.raises(Denied):
        call(guard, "t", ARGS | {"x": 1}, echo)
    with pytest.raises(PermissionError):
        call(guard, "t", ARGS, leak)
    call(guard, "t", ARGS, lambda **args: [args["password"]])
    spans = exporter.get_finished_spans()
    assert [span.status.description for span in spans] == [
        "[redacted]",
        "PermissionError: wrong password '[redacted]'",
        None,
    ]
    assert PASSWORD not in str([dict(span.attributes or {}) for span in spans])
