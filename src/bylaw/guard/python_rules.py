"""Rules written in Python beside those of a bundle: hooks around a call, conditions on it and on its session."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal

import msgspec

from bylaw.errors import Misuse
from bylaw.guard.principal import Principal
from bylaw.verdict import Item

Phase = Literal["before", "after"]
PHASES = ("before", "after")


class ToolEnvelope(msgspec.Struct, frozen=True, kw_only=True):
    """A call as Python rules see it."""

    tool_name: str
    args: Mapping[str, Any] = {}
    call_id: str = msgspec.field(default_factory=lambda: uuid.uuid4().hex)
    run_id: str = ""
    call_index: int = 0
    parent_call_id: str | None = None
    session_id: str | None = None
    environment: str = "production"
    side_effect: str | None = None
    principal: Principal | None = None
    metadata: Mapping[str, Any] = {}


class Verdict(msgspec.Struct, frozen=True):
    """What a Python rule says: whether the call passes it, and a message where it does not."""

    passed: bool
    message: str | None = None
    metadata: Mapping[str, Any] = {}

    @classmethod
    def pass_(cls) -> Verdict:
        return cls(True)

    @classmethod
    def fail(cls, message: str, **metadata: Any) -> Verdict:
        return cls(False, message, metadata)


class HookDecision(msgspec.Struct, frozen=True):
    """What a hook before a call says; one after it is only told."""

    allowed: bool
    reason: str | None = None

    @classmethod
    def allow(cls) -> HookDecision:
        return cls(True)

    @classmethod
    def deny(cls, reason: str) -> HookDecision:
        return cls(False, reason)


class SessionCounts(msgspec.Struct, frozen=True, kw_only=True):
    """A session's counters as a session contract sees them: this call is among the attempts, not the executions."""

    session_id: str
    attempts: int = 0
    executions: int = 0
    per_tool: Mapping[str, int] = {}


Hook = Callable[..., HookDecision | Awaitable[HookDecision | None] | None]
Rule = Callable[..., Verdict | Awaitable[Verdict]]


class HookRegistration(msgspec.Struct, frozen=True):
    """A hook: `before` gets the envelope and may deny, `after` gets envelope and result and is only told."""

    phase: Phase
    tool: str
    callback: Hook
    when: Callable[[ToolEnvelope], bool] | None = None

    def __post_init__(self) -> None:
        _check_tool(self.tool, self.name)

    @property
    def name(self) -> str:
        return _name(self.callback)

    def names(self, tool: str) -> bool:
        return self.tool in ("*", tool)

    def applies(self, envelope: ToolEnvelope) -> bool:
        return _applies(self.tool, self.when, envelope)


class PythonRule(msgspec.Struct, frozen=True):
    """A condition written as a function; it can still be called as one."""

    kind: Literal["precondition", "postcondition", "session_contract"]
    tool: str
    function: Rule
    when: Callable[[ToolEnvelope], bool] | None = None

    def __post_init__(self) -> None:
        _check_tool(self.tool, self.name)

    @property
    def name(self) -> str:
        return _name(self.function)

    def names(self, tool: str) -> bool:
        return self.tool in ("*", tool)

    @property
    def action(self) -> Literal["deny", "warn"]:
        """What follows where it fails."""
        return "warn" if self.kind == "postcondition" else "deny"

    def applies(self, envelope: ToolEnvelope) -> bool:
        return _applies(self.tool, self.when, envelope)

    def item(self, *, binding: bool, metadata: Mapping[str, Any] | None = None) -> Item:
        data = {"metadata": dict(metadata)} if metadata else {}
        return Item(id=self.name, kind=self.kind, binding=binding, data=data)

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)


def precondition(tool: str, when: Callable[[ToolEnvelope], bool] | None = None) -> Callable[[Rule], PythonRule]:
    """Marks a function from an envelope to a verdict; the call is denied where it fails."""
    return lambda function: PythonRule("precondition", tool, function, when)


def postcondition(tool: str, when: Callable[[ToolEnvelope], bool] | None = None) -> Callable[[Rule], PythonRule]:
    """Marks a function from envelope and result to a verdict; a warning is given where it fails."""
    return lambda function: PythonRule("postcondition", tool, function, when)


def session_contract(function: Rule) -> PythonRule:
    """Marks a function from a session's counts to a verdict; the call is denied where it fails."""
    return PythonRule("session_contract", "*", function)


def _name(function: Callable[..., Any]) -> str:
    try:
        return function.__name__
    except AttributeError:  # a callable object has the name of its class
        return type(function).__name__


def _check_tool(tool: Any, name: str) -> None:
    """What is no name and not `*` would never be met by a call, and the rule would never be asked."""
    if not isinstance(tool, str):
        given = type(tool).__name__
        raise Misuse(f"`{name}` is for one tool or for `*`, and was given {given}: register it once for each tool")
    if tool != "*" and (not tool or any(sign in tool for sign in "*?[")):
        raise Misuse(
            f"`{tool}` is no tool's name, and `{name}` would never be asked: tools are compared exactly; use `*` with"
            " a `when` that looks at `envelope.tool_name`"
        )


def _applies(tool: str, when: Callable[[ToolEnvelope], bool] | None, envelope: ToolEnvelope) -> bool:
    if tool not in ("*", envelope.tool_name):
        return False
    said = when is None or when(envelope)
    if inspect.iscoroutine(said):
        said.close()
        raise TypeError("its `when` is asynchronous")
    return bool(said)


def checked_rules(rules: Iterable[Any]) -> tuple[PythonRule, ...]:
    """A function that nobody marked would never be asked."""
    found = tuple(rules)
    for rule in found:
        if not isinstance(rule, PythonRule):
            raise Misuse(
                f"`{_name(rule)}` is no contract: mark it with `@precondition(tool)`, `@postcondition(tool)` or"
                " `@session_contract`"
            )
    return found


def checked_hooks(hooks: Iterable[Any]) -> tuple[HookRegistration, ...]:
    """A hook for a phase that there is not would never be asked."""
    found = tuple(hooks)
    for hook in found:
        if not isinstance(hook, HookRegistration):
            raise Misuse(f"`{_name(hook)}` is no hook: register it with `HookRegistration(phase, tool, callback)`")
        if hook.phase not in PHASES:
            raise Misuse(f"`{hook.phase}` is no phase of hook `{hook.name}`; it is `before` or `after`")
    return found
