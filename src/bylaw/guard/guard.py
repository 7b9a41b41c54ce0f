"""The live guard: every tool call goes through it, is judged, and runs or does not."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Self, TypeVar, cast, overload

import msgspec

from bylaw.errors import Misuse
from bylaw.evidence import Answer
from bylaw.formats.bundles.documents import Mode
from bylaw.guard.armed import Armed, arm
from bylaw.guard.asked import Asked, asked, resolved
from bylaw.guard.asking import broke
from bylaw.guard.audit.sinks import AuditSink
from bylaw.guard.decision import Decision, Outcome, decision_of
from bylaw.guard.drivers import drive, drive_async, walk
from bylaw.guard.functions import guarded
from bylaw.guard.judging import judge_after, judge_before
from bylaw.guard.loading import Bundles, BundleSource, load_bundles
from bylaw.guard.parts import check_parts, check_words
from bylaw.guard.pipeline import govern
from bylaw.guard.principal import Known, Resolver
from bylaw.guard.python_rules import HookRegistration, PythonRule, checked_hooks, checked_rules
from bylaw.guard.reporting import Reporter
from bylaw.guard.request import Request
from bylaw.guard.session_names import FindSession, found_by, told_session
from bylaw.guard.sessions import MemorySessions, Sessions
from bylaw.guard.telemetry import Telemetry, Teller, telemetry_for
from bylaw.redaction import MARK, Redaction, Redactor
from bylaw.verdict import Finding, Item

Function = TypeVar("Function", bound=Callable[..., Any])


class Guard:
    """Judges tool calls by bundles and by rules in Python, runs those that may run, and records what happened.

    `mode` overrides every contract's own, of rules in Python too; with `observe` none of them denies anything.
    `principal` is who calls when a call does not say, or a function that finds out. `strict_audit` denies a call that
    can't be recorded. `telemetry` asks that OpenTelemetry is told; by default it is if it has a provider by now.
    `session` names the session of calls that do not say theirs, or is a function that finds it out; without it all
    calls of the guard are in one.
    """

    telemetry_prefix = "bylaw"
    """Begins what telemetry names itself, unless the `telemetry` given says its own."""

    def __init__(
        self,
        bundles: Bundles | None = None,
        *,
        environment: str = "production",
        mode: Mode | None = None,
        contracts: Iterable[PythonRule] = (),
        hooks: Iterable[HookRegistration] = (),
        audit_sink: AuditSink | None = None,
        redaction: Redaction | None = None,
        backend: Sessions | None = None,
        tools: Mapping[str, Mapping[str, Any]] | None = None,
        principal: Known | Resolver = None,
        session: str | FindSession | None = None,
        on_warning: Callable[[str, Finding], Any] | None = None,
        strict_audit: bool = False,
        telemetry: Telemetry | bool | None = None,
    ) -> None:
        if strict_audit and audit_sink is None:
            raise Misuse("`strict_audit` asks that every call is recorded, and there is no `audit_sink`")
        check_parts(audit_sink=audit_sink, backend=backend, principal=principal)
        if bundles is None or mode not in (None, bundles.override):
            bundles = load_bundles(() if bundles is None else bundles.sources, mode=mode)
        self.environment = environment
        self.run_id = uuid.uuid4().hex
        self._session, self._find_session = told_session(session, default=self.run_id)
        self.sessions: Sessions = backend if backend is not None else MemorySessions()
        self._rules = checked_rules(contracts)
        self._hooks = checked_hooks(hooks)
        self._sink = audit_sink
        self._redactor = Redactor(redaction)
        self._side_effects = _side_effects(tools or {})
        self._principal = principal
        self._on_warning = on_warning
        self._strict = strict_audit
        asked_to_tell = telemetry_for(telemetry, prefix=self.telemetry_prefix)
        self._teller = None if asked_to_tell is None else Teller(asked_to_tell, self._redactor)
        self._indices = itertools.count()
        self._reloading = Lock()
        self._bundles = bundles
        self._armed = self._arm(bundles)

    @classmethod
    def from_yaml(cls, *paths: str | Path, mode: Mode | None = None, **options: Any) -> Self:
        """From bundle files. Later ones win by contract id; `composition` says what replaced what."""
        return cls(_loaded([Path(path) for path in paths], mode), mode=mode, **options)

    @classmethod
    def from_text(cls, *texts: str, mode: Mode | None = None, **options: Any) -> Self:
        return cls(_loaded(texts, mode), mode=mode, **options)

    @classmethod
    def from_documents(cls, *documents: Mapping[str, Any], mode: Mode | None = None, **options: Any) -> Self:
        """From what bundle files say, as data that somebody else has read."""
        return cls(_loaded(documents, mode), mode=mode, **options)

    @property
    def policy_version(self) -> str:
        return self._armed.policy.version

    @property
    def composition(self) -> tuple[str, ...]:
        """What composing several files came to, one sentence each."""
        return self._bundles.composition

    def reload(self, *paths: str | Path) -> None:
        """Judges by other files from now on, or by the same ones read again. One that is wrong changes nothing."""
        with self._reloading:
            sources = [Path(path) for path in paths] or self._bundles.sources
            bundles = load_bundles(sources, mode=self._bundles.override)
            self._armed, self._bundles = self._arm(bundles), bundles

    async def run(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Any:
        """The tool's result. Raises `Denied` where the call may not be made, and whatever the tool raises."""
        try:
            request = self._request(tool_name, args, **about)
        except TypeError:
            check_words(about, of="run")
            raise
        return (await self._begun(request, tool_callable)).result

    def run_sync(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Any:
        """As `run`, for tools that are not asynchronous; needs no event loop."""
        try:
            request = self._request(tool_name, args, **about)
        except TypeError:
            check_words(about, of="run_sync")
            raise
        return self._done(request, tool_callable).result

    def call(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Coroutine[Any, Any, Outcome]:
        """As `run`, with the decision and the warnings beside the result."""
        check_words(about, of="call")
        return self._begun(self._request(tool_name, args, **about), tool_callable)

    def call_sync(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Outcome:
        check_words(about, of="call_sync")
        return self._done(self._request(tool_name, args, **about), tool_callable)

    @overload
    def tool(self, function: Function, /, *, name: str | None = None, **about: Any) -> Function: ...

    @overload
    def tool(
        self, function: None = None, /, *, name: str | None = None, **about: Any
    ) -> Callable[[Function], Function]: ...

    def tool(self, function: Function | None = None, /, *, name: str | None = None, **about: Any) -> Any:
        """Decorates a function so that every call of it is judged, under its own name or the one given."""
        check_words(about, of="tool")
        if function is None:
            return lambda inner: guarded(inner, name, self, about)
        return guarded(function, name, self, about)

    def evaluate(
        self,
        tool_name: str,
        args: Mapping[str, Any],
        *,
        output: str | None = None,
        principal: Known = None,
        environment: str | None = None,
    ) -> Decision:
        """What the bundle says of a call, with nothing run, counted or recorded. With `output`, postconditions too.

        Rules in Python and session limits are not asked: both may change what they look at.
        """
        armed = self._armed
        request = Request(
            tool=tool_name,
            args=args,
            session_id="",
            environment=environment or self.environment,
            principal=principal if principal is not None else self._principal,
        )
        found = cast("Asked", walk(resolved(asked(request, looks_back=False), request), None, self.sessions))
        if found.problem is not None:
            item = Item(id=found.problem.about, kind=found.problem.about, binding=armed.enforces)
            return decision_of((broke(item, found.problem.reason),))
        call = found.call
        findings, omitted = judge_before(armed.policy, call, armed.policy.before.of(call.tool))
        if output is not None:
            call = msgspec.structs.replace(call, answer=Answer(text=output))
            later, more = judge_after(armed.policy, call)
            findings, omitted = findings + later, omitted + more
        return decision_of(findings, omitted=omitted)

    def evaluate_batch(self, calls: Iterable[Mapping[str, Any]]) -> list[Decision]:
        """`evaluate` for many: each with `tool`, `args`, and what else `evaluate` takes."""
        found = []
        for number, call in enumerate(calls, 1):
            if "tool" not in call:
                raise Misuse(f"call {number} of the batch does not say its `tool`")
            about = {name: value for name, value in call.items() if name not in ("tool", "args")}
            found.append(self.evaluate(call["tool"], call.get("args", {}), **about))
        return found

    def close(self) -> None:
        try:
            if self._sink is not None:
                self._sink.close()
        finally:
            self.sessions.close()

    def _done(self, request: Request, tool_callable: Callable[..., Any]) -> Outcome:
        armed = self._armed
        if self._teller is None:
            return drive(govern(armed, request), tool_callable, self.sessions)
        with self._teller.watch(request, policy_version=armed.policy.version) as watched:
            watched.outcome = drive(govern(armed, request, watched), tool_callable, self.sessions)
            return watched.outcome

    def _begun(self, request: Request, tool_callable: Callable[..., Any]) -> Coroutine[Any, Any, Outcome]:
        armed = self._armed
        if self._teller is None:
            return drive_async(govern(armed, request), tool_callable, self.sessions)
        return self._watched(self._teller, armed, request, tool_callable)

    async def _watched(
        self, teller: Teller, armed: Armed, request: Request, tool_callable: Callable[..., Any]
    ) -> Outcome:
        with teller.watch(request, policy_version=armed.policy.version) as watched:
            watched.outcome = await drive_async(govern(armed, request, watched), tool_callable, self.sessions)
            return watched.outcome

    def _arm(self, bundles: Bundles) -> Armed:
        reporter = None
        if self._sink is not None:
            reporter = Reporter(
                sink=self._sink,
                redactor=self._redactor,
                policy_version=bundles.policy.version,
                mode=bundles.mode,
                run_id=self.run_id,
                strict=self._strict,
                side_effects=self._side_effects,
            )
        return arm(
            bundles.policy,
            run_id=self.run_id,
            enforces=bundles.override != "observe",
            hooks=self._hooks,
            rules=self._rules,
            reporter=reporter,
            on_warning=self._on_warning,
            side_effects=self._side_effects,
            mark=MARK,
        )

    def _other(self, session_id: Any) -> Any:
        """The session of a call that names none, or names it by what is no name: that is found out later."""
        if session_id is not None and type(session_id) is not str:
            return session_id
        return self._session if self._find_session is None else found_by(self._find_session)

    def _request(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        session_id: str | None = None,
        principal: Known = None,
        environment: str | None = None,
        call_id: str | None = None,
        parent_call_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Request:
        index = next(self._indices)
        return Request(
            tool=tool,
            args=args,
            session_id=session_id
            or (self._session if session_id is None and self._find_session is None else self._other(session_id)),
            environment=environment or self.environment,
            principal=principal if principal is not None else self._principal,
            call_id=call_id or f"{self.run_id}-{index}",
            call_index=index,
            parent_call_id=parent_call_id,
            metadata=metadata or {},
        )


def _loaded(sources: Iterable[BundleSource], mode: Mode | None) -> Bundles:
    sources = tuple(sources)
    if not sources:
        raise Misuse("a guard needs a bundle; one with rules in Python alone is made by its constructor")
    return load_bundles(sources, mode=mode)


def _side_effects(tools: Mapping[str, Any]) -> dict[str, str | None]:
    for name, about in tools.items():
        if not isinstance(about, Mapping) or not isinstance(about.get("side_effect"), str | None):
            raise Misuse(f"what is said of tool `{name}` must be a mapping with a `side_effect` that is text")
    return {name: about.get("side_effect") for name, about in tools.items()}
