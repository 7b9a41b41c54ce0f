"""Governed calls, told to OpenTelemetry: a span around each, and counters of what was decided.

Spans follow the conventions for tools that agents use. Only OpenTelemetry's API is needed, and it is imported only
for a guard that was asked to tell, or that is made where a provider has been set. What goes wrong here changes
nothing about a call.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from bylaw.errors import Misuse
from bylaw.guard.decision import Decision, Outcome, source_of
from bylaw.guard.judged import Judged
from bylaw.guard.principals import Principals
from bylaw.guard.request import Request
from bylaw.guard.shown import said_by
from bylaw.redaction import Redactor

if TYPE_CHECKING:
    from opentelemetry.trace import Span

log = logging.getLogger("bylaw.guard")
SCOPE = "bylaw.guard"
DENIED = "denied"
"""The `error.type` of a call that was not made; of one that failed it is the exception's."""

_LONGEST = 500


class Telemetry(msgspec.Struct, frozen=True, kw_only=True):
    """What is told, and to whom.

    `prefix` begins the names of what the conventions have no name for; the guard has one of its own. With `content`
    spans carry the arguments and the result, redacted. Providers are those the program has set, unless others are
    given.
    """

    prefix: str = ""
    content: bool = False
    tracer_provider: Any = None
    meter_provider: Any = None


def telemetry_for(asked: Telemetry | bool | None, *, prefix: str) -> Telemetry | None:
    """`None` asks for it if a provider has been set by now; looking for one imports nothing."""
    if isinstance(asked, Telemetry):
        return asked if asked.prefix else msgspec.structs.replace(asked, prefix=prefix)
    if asked is None:
        asked = _is_set("opentelemetry.trace", "get_tracer_provider") or _is_set(
            "opentelemetry.metrics", "get_meter_provider"
        )
    return Telemetry(prefix=prefix) if asked else None


def _is_set(module: str, getter: str) -> bool:
    """Whether there is a provider that is not one of the API's own, which only stand in for one."""
    api = sys.modules.get(module)
    if api is None:
        return False
    try:
        provider = getattr(api, getter)()
    except Exception as error:  # noqa: BLE001 the environment may name a provider that can't be loaded; nobody asked for it here
        log.warning("no telemetry: %s", said_by(error))
        return False
    return not type(provider).__module__.startswith(module)


class Teller:
    """Tells of the calls of one guard."""

    def __init__(self, telemetry: Telemetry, redactor: Redactor) -> None:
        try:
            from opentelemetry import context, metrics, trace  # who does not ask for it need not have it
        except ImportError as error:
            raise Misuse("telemetry needs OpenTelemetry: install `bylaw[otel]`") from error
        prefix = telemetry.prefix
        self.prefix = prefix
        self.redactor = redactor
        self.principals = Principals(redactor)
        self.content = telemetry.content
        self.context = context
        self.trace = trace
        self.tracer = trace.get_tracer(SCOPE, tracer_provider=telemetry.tracer_provider)
        meter = metrics.get_meter(SCOPE, meter_provider=telemetry.meter_provider)
        self.allowed = meter.create_counter(f"{prefix}.calls.allowed", "{call}", "calls that were let through")
        self.denied = meter.create_counter(f"{prefix}.calls.denied", "{call}", "calls that were not made")
        self.would_deny = meter.create_counter(
            f"{prefix}.calls.would_deny", "{denial}", "denials of contracts that only observe"
        )
        self._failing = False

    def watch(self, request: Request, *, policy_version: str) -> Watched:
        return Watched(self, request, policy_version)

    def worked(self) -> None:
        self._failing = False

    def failed(self, error: Exception) -> None:
        """Reported once, until it works again."""
        if not self._failing:
            log.warning("telemetry failed: %s", said_by(error))
        self._failing = True


class Watched:
    """One call, from being asked for to its end; what runs inside runs in its span's context.

    Whoever decides says so with `decided`, and sets `outcome` if there is one.
    """

    __slots__ = ("_decision", "_redactor", "_request", "_span", "_teller", "_token", "_version", "_well", "outcome")

    def __init__(self, teller: Teller, request: Request, policy_version: str) -> None:
        self.outcome: Outcome | None = None
        self._teller = teller
        self._request = request
        self._version = policy_version
        self._decision: Decision | None = None
        self._redactor = teller.redactor
        self._span: Span | None = None
        self._token: Any = None
        self._well = True

    def __enter__(self) -> Watched:
        self._safely(self._begin)
        return self

    def decided(self, case: Judged) -> None:
        """The last word counts. Arguments are told as they were judged, before the tool may change them.

        A secret among them, or of who asks, is told nowhere else either.
        """
        self._decision = case.decision
        self._safely(lambda: self._learn_secrets(case))
        if self._teller.content:
            self._safely(lambda: self._show_arguments(case.call.args))

    def __exit__(
        self, _type: type[BaseException] | None, error: BaseException | None, _where: TracebackType | None
    ) -> None:
        self._safely(self._count)
        self._safely(lambda: self._describe(error))
        self._safely(self._end)
        self._safely(self._leave)
        if self._well:
            self._teller.worked()

    def _safely(self, tell: Callable[[], None]) -> None:
        try:
            tell()
        except Exception as error:  # noqa: BLE001 providers, samplers and exporters are not ours; they may raise anything
            self._well = False
            self._teller.failed(error)

    def _begin(self) -> None:
        teller, request = self._teller, self._request
        self._span = teller.tracer.start_span(
            f"execute_tool {request.tool}",
            kind=teller.trace.SpanKind.INTERNAL,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": request.tool,
                "gen_ai.tool.call.id": request.call_id,
                "gen_ai.tool.type": "function",
                f"{teller.prefix}.policy_version": self._version,
            },
        )
        self._token = teller.context.attach(teller.trace.set_span_in_context(self._span))

    def _learn_secrets(self, case: Judged) -> None:
        teller = self._teller
        _, _, secrets = teller.redactor.take_out(case.call.args)
        _, more_secrets = teller.principals.taken_out(case.call.principal)
        if secrets or more_secrets:
            self._redactor = teller.redactor.knowing((*secrets, *more_secrets))

    def _show_arguments(self, args: Mapping[str, Any]) -> None:
        if self._span is not None and self._span.is_recording():
            self._span.set_attribute("gen_ai.tool.call.arguments", self._as_json(args))

    def _end(self) -> None:
        if self._span is not None:
            self._span.end()

    def _leave(self) -> None:
        if self._token is not None:
            self._teller.context.detach(self._token)

    def _count(self) -> None:
        teller, decision = self._teller, self._decision
        if decision is None:
            return
        tool = {"gen_ai.tool.name": self._request.tool}
        if decision.allowed:
            teller.allowed.add(1, tool)
        else:
            teller.denied.add(1, tool | self._by(decision.source, decision.name))
        for source, name in dict.fromkeys((source_of(found), found.item.id) for found in decision.would_deny):
            teller.would_deny.add(1, tool | self._by(source, name))

    def _describe(self, error: BaseException | None) -> None:
        span, decision, prefix = self._span, self._decision, self._teller.prefix
        if span is None or not span.is_recording():
            return
        if decision is not None:
            warnings = () if self.outcome is None else self.outcome.warnings
            broken = decision.policy_error or any(found.code == "policy_error" for found in warnings)
            span.set_attribute(f"{prefix}.decision", "allow" if decision.allowed else "deny")
            span.set_attribute(f"{prefix}.policy_error", broken)
            span.set_attributes({} if decision.allowed else self._by(decision.source, decision.name))
        if self.outcome is not None and self._teller.content:
            span.set_attribute("gen_ai.tool.call.result", self._as_json(self.outcome.result))
        if error is not None:
            denied = decision is not None and not decision.allowed
            span.set_attribute("error.type", DENIED if denied else _name(type(error)))
            said = decision.told if denied and decision is not None else said_by(error)
            span.set_status(self._teller.trace.StatusCode.ERROR, self._redactor.redact_text(said, most=_LONGEST))

    def _by(self, source: str | None, name: str | None) -> dict[str, str]:
        prefix = self._teller.prefix
        return {f"{prefix}.decision_source": source or "", f"{prefix}.decision_name": name or ""}

    def _as_json(self, value: Any) -> str:
        clean, _ = self._redactor.redact_value(value)
        return clean if isinstance(clean, str) else msgspec.json.encode(clean).decode()


def _name(kind: type[BaseException]) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
