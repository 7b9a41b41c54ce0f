"""The live guard: every tool call goes through it, is judged, and runs or does not."""

from __future__ import annotations

import functools
import inspect
import itertools
import uuid
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from bylaw.evidence import Answer, ToolCall
from bylaw.formats.bundles.documents import Mode
from bylaw.guard.armed import Armed
from bylaw.guard.audit.redaction import Redaction, Redactor
from bylaw.guard.audit.sinks import AuditSink
from bylaw.guard.decision import Decision, Outcome, decision_of
from bylaw.guard.drivers import drive, drive_async
from bylaw.guard.loading import Bundles, load_bundles
from bylaw.guard.pipeline import govern
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import HookRegistration, PythonRule
from bylaw.guard.reporting import Reporter
from bylaw.guard.request import Request
from bylaw.guard.sessions import MemorySessions, Sessions
from bylaw.policy import after, before
from bylaw.verdict import Finding

Function = TypeVar("Function", bound=Callable[..., Any])
Resolver = Callable[[str, Mapping[str, Any]], Principal | Mapping[str, Any] | None]


class Guard:
    """Judges tool calls by bundles and by rules in Python, runs those that may run, and records what happened.

    `mode` overrides every contract's own. `principal` is who calls when a call does not say, or a function that
    finds out. `strict_audit` denies a call that can't be recorded.
    """

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
        principal: Principal | Mapping[str, Any] | Resolver | None = None,
        on_warning: Callable[[str, Finding], Any] | None = None,
        strict_audit: bool = False,
    ) -> None:
        self.environment = environment
        self.run_id = uuid.uuid4().hex
        self.sessions: Sessions = backend if backend is not None else MemorySessions()
        self._mode = mode
        self._rules = tuple(contracts)
        self._hooks = tuple(hooks)
        self._sink = audit_sink
        self._redactor = Redactor(redaction)
        self._side_effects = {name: str(about.get("side_effect", "")) for name, about in (tools or {}).items()}
        self._principal = principal
        self._on_warning = on_warning
        self._strict = strict_audit
        self._indices = itertools.count()
        self._bundles = bundles if bundles is not None else load_bundles((), mode=mode)
        self._armed = self._arm(self._bundles)

    @classmethod
    def from_yaml(cls, *paths: str | Path, mode: Mode | None = None, **options: Any) -> Guard:
        """From bundle files. Later ones win by contract id; `composition` says what replaced what."""
        return cls(load_bundles([Path(path) for path in paths], mode=mode), mode=mode, **options)

    @classmethod
    def from_text(cls, text: str, *, mode: Mode | None = None, **options: Any) -> Guard:
        return cls(load_bundles([text], mode=mode), mode=mode, **options)

    @property
    def policy_version(self) -> str:
        return self._armed.policy.version

    @property
    def composition(self) -> tuple[str, ...]:
        """What composing several files came to, one sentence each."""
        return self._bundles.composition

    def reload(self, *paths: str | Path) -> None:
        """Judges by other files from now on, or by the same ones read again. One that is wrong changes nothing."""
        sources = [Path(path) for path in paths] or self._bundles.sources
        bundles = load_bundles(sources, mode=self._mode)
        self._armed, self._bundles = self._arm(bundles), bundles

    async def run(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Any:
        """The tool's result. Raises `Denied` where the call may not be made, and whatever the tool raises."""
        return (await self.call(tool_name, args, tool_callable, **about)).result

    def run_sync(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Any:
        """As `run`, for tools that are not asynchronous; needs no event loop."""
        return self.call_sync(tool_name, args, tool_callable, **about).result

    async def call(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Outcome:
        """As `run`, with the decision and the warnings beside the result."""
        governed = govern(self._armed, self._request(tool_name, args, **about))
        return await drive_async(governed, tool_callable, self.sessions)

    def call_sync(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Outcome:
        return drive(govern(self._armed, self._request(tool_name, args, **about)), tool_callable, self.sessions)

    def tool(self, function: Function | None = None, *, name: str | None = None, **about: Any) -> Any:
        """Decorates a function so that every call of it is judged, under its own name or the one given."""
        if function is None:
            return functools.partial(self.tool, name=name, **about)
        return self._wrapped(function, name or function.__name__, about)

    def evaluate(
        self,
        tool_name: str,
        args: Mapping[str, Any],
        *,
        output: str | None = None,
        principal: Principal | Mapping[str, Any] | None = None,
        environment: str | None = None,
    ) -> Decision:
        """What the bundle says of a call, with nothing run, counted or recorded. With `output`, postconditions too.

        Rules in Python and session limits are not asked: both may change what they look at.
        """
        request = self._request(tool_name, args, principal=principal, environment=environment)
        armed = self._armed
        call = ToolCall(
            tool=tool_name,
            args=dict(args),
            environment=request.environment,
            principal=request.principal,
            answer=None if output is None else Answer(text=output),
        )
        findings = before(armed.policy, call) + (after(armed.policy, call) if output is not None else ())
        return decision_of(findings, omitted=armed.policy.before.of(tool_name).omitted)

    def evaluate_batch(self, calls: Iterable[Mapping[str, Any]]) -> list[Decision]:
        """`evaluate` for many: each with `tool`, `args`, and what else `evaluate` takes."""
        return [self.evaluate(call["tool"], call.get("args", {}), **_rest(call)) for call in calls]

    def close(self) -> None:
        if self._sink is not None:
            self._sink.close()
        self.sessions.close()

    def _arm(self, bundles: Bundles) -> Armed:
        policy = bundles.policy
        reporter = None
        if self._sink is not None:
            reporter = Reporter(
                sink=self._sink,
                redactor=self._redactor,
                policy_version=policy.version,
                mode=self._mode or bundles.mode,
                run_id=self.run_id,
                strict=self._strict,
                side_effects=self._side_effects,
            )
        return Armed(
            policy=policy,
            hooks=self._hooks,
            conditions=tuple(rule for rule in self._rules if rule.kind != "session_contract"),
            session_contracts=tuple(rule for rule in self._rules if rule.kind == "session_contract"),
            reporter=reporter,
            on_warning=self._on_warning,
            side_effects=self._side_effects,
        )

    def _request(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        session_id: str | None = None,
        principal: Principal | Mapping[str, Any] | None = None,
        environment: str | None = None,
        call_id: str | None = None,
        parent_call_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Request:
        index = next(self._indices)
        return Request(
            tool=tool,
            args=args,
            session_id=session_id or self.run_id,
            environment=environment or self.environment,
            principal=self._who(tool, args, principal),
            call_id=call_id or f"{self.run_id}-{index}",
            call_index=index,
            parent_call_id=parent_call_id,
            metadata=metadata or {},
        )

    def _who(
        self, tool: str, args: Mapping[str, Any], given: Principal | Mapping[str, Any] | None
    ) -> Mapping[str, Any] | None:
        who: Any = given if given is not None else self._principal
        if callable(who) and not isinstance(who, Principal):
            who = who(tool, args)
        return who.as_mapping() if isinstance(who, Principal) else who

    def _wrapped(self, function: Callable[..., Any], name: str, about: Mapping[str, Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"`{name}` is a generator: what it yields comes after it was judged; let it return a list"
            )
        signature = inspect.signature(function)
        _refuse_positional_only(signature, name)

        def bound(positional: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
            arguments = signature.bind(*positional, **named)
            arguments.apply_defaults()
            return _flat(signature, arguments.arguments)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*positional: Any, **named: Any) -> Any:
                return await self.run(name, bound(positional, named), function, **about)

            return awaited

        @functools.wraps(function)
        def called(*positional: Any, **named: Any) -> Any:
            return self.run_sync(name, bound(positional, named), function, **about)

        return called


def _rest(call: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in call.items() if name not in ("tool", "args")}


def _refuse_positional_only(signature: inspect.Signature, name: str) -> None:
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise TypeError(
                f"`{name}` takes `{parameter.name}` by position only; a guarded tool takes named arguments"
            )


def _flat(signature: inspect.Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, those of `**kwargs` beside the others: what the rules see is what the tool is given."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        else:
            found[name] = value
    return found
