"""Asking rules written in Python. They are the user's code: one that raises counts as one that failed."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Literal

from bylaw.guard.python_rules import HookDecision, HookRegistration, PythonRule, ToolEnvelope, Verdict
from bylaw.guard.shown import said_by
from bylaw.guard.steps import Ask, Step
from bylaw.verdict import Finding, Item, Outcome

WHY = "why"
"""In a finding's details: what is behind its reason, for those who run the guard."""


def broke(item: Item, reason: str, *, action: Literal["deny", "warn"] = "deny", why: str = "") -> Finding:
    """What could not be judged counts as firing, and says so; `why` is for the audit and the log alone."""
    return Finding(
        item=item,
        outcome=Outcome.error,
        score=0.0,
        code="policy_error",
        reason=reason,
        action=action,
        details={WHY: why} if why else {},
    )


def ask_hook(
    hook: HookRegistration, envelope: ToolEnvelope, *, binding: bool
) -> Generator[Step, Any, Finding | None]:
    """What a hook before the call says; nothing where it is not for this call."""
    item = Item(id=hook.name, kind="hook", binding=binding)
    try:
        if not hook.applies(envelope):
            return None
        said: HookDecision | None = yield Ask(hook.callback, (envelope,))
        if said is not None and not isinstance(said, HookDecision):
            raise TypeError(f"it gave a {type(said).__name__}, not a HookDecision")
        if said is not None:
            _check_words(said.allowed, "allowed", said.reason, "reason")
    except Exception as error:  # noqa: BLE001 a hook is the user's code: one that raises denies the call
        return broke(item, _could_not(item, error))
    if said is None or said.allowed:
        return Finding(item=item, outcome=Outcome.passed)
    return _failed(item, "deny", said.reason or f"denied by hook `{item.id}`")


def ask_condition(
    rule: PythonRule, envelope: ToolEnvelope, arguments: tuple[Any, ...], *, binding: bool
) -> Generator[Step, Any, Finding | None]:
    """What a condition on the call says; nothing where it is not for this call."""
    try:
        if not rule.applies(envelope):
            return None
    except Exception as error:  # noqa: BLE001 the rule's own `when` is the user's code: one that raises counts as failing
        item = rule.item(binding=binding)
        return broke(item, _could_not(item, error), action=rule.action)
    return (yield from ask_rule(rule, arguments, binding=binding))


def ask_rule(rule: PythonRule, arguments: tuple[Any, ...], *, binding: bool) -> Generator[Step, Any, Finding]:
    try:
        said = yield Ask(rule.function, arguments)
        if not isinstance(said, Verdict):
            raise TypeError(f"it gave a {type(said).__name__}, not a Verdict")
        _check_words(said.passed, "passed", said.message, "message")
    except Exception as error:  # noqa: BLE001 a rule in Python is the user's code: one that raises counts as failing
        item = rule.item(binding=binding)
        return broke(item, _could_not(item, error), action=rule.action)
    item = rule.item(binding=binding, metadata=said.metadata)
    if said.passed:
        return Finding(item=item, outcome=Outcome.passed)
    return _failed(item, rule.action, said.message or f"`{item.id}` failed")


def _check_words(answer: Any, of: str, said: Any, name: str) -> None:
    """`"false"` is true to Python, and a rule that is taken for passed by mistake lets the call through."""
    if type(answer) is not bool:
        raise TypeError(f"its `{of}` is {type(answer).__name__}, not true or false")
    if said is not None and not isinstance(said, str):
        raise TypeError(f"its `{name}` is {type(said).__name__}, not text")


def _failed(item: Item, action: Literal["deny", "warn"], reason: str) -> Finding:
    code = "denied" if action == "deny" else "warned"
    return Finding(item=item, outcome=Outcome.failed, score=0.0, code=code, reason=reason, action=action)


def _could_not(item: Item, error: Exception) -> str:
    return f"`{item.id}` could not be evaluated: {said_by(error)}"
