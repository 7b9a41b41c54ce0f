"""Why a policy says what it says of a call: every contract for its tool, branch by branch, with what each saw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from bylaw.evidence import ToolCall
from bylaw.guard.decision import Decision, decision_of
from bylaw.language.expressions import Leaf
from bylaw.language.operators import MISSING
from bylaw.language.selectors import without_view
from bylaw.language.spelling import spell
from bylaw.language.tracing import State, Trace, trace
from bylaw.policy import Policy, Rule, after, before
from bylaw.redaction import Redactor
from bylaw.verdict import Finding


class Branch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a condition. `saw` is what was compared, redacted as in an audit; `why` is what broke."""

    says: str
    state: State
    saw: Any = None
    why: str = ""
    parts: tuple[Branch, ...] = ()


class Explained(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A contract that is for the call's tool. `condition` is missing where it has none of its own."""

    id: str
    type: str
    observed: bool
    where: str
    fires: bool
    message: str = ""
    condition: Branch | None = None


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The decision, and the contracts in the order in which they are asked; `unasked` says what was left out."""

    decision: Literal["allowed", "denied"]
    contract: str | None
    reason: str
    would_deny: tuple[str, ...]
    warnings: tuple[str, ...]
    contracts: tuple[Explained, ...]
    unasked: tuple[str, ...]


def explain(policy: Policy, call: ToolCall) -> Explanation:
    """Postconditions are asked where the call has an answer. Limits are not: there is no session."""
    findings = before(policy, call)
    decision = decision_of(findings)
    ran = call.answer is not None and decision.allowed
    answered = after(policy, call) if ran else ()
    redactor = Redactor()
    rules = policy.before.of(call.tool).rules + (policy.after.of(call.tool).rules if ran else ())
    fired = {found.item.id: found for found in (*findings, *answered) if found.action}
    contracts = [_explained(rule, call, fired.pop(rule.item.id, None), redactor) for rule in rules]
    contracts += [_without_condition(found, redactor) for found in fired.values()]
    return Explanation(
        decision="allowed" if decision.allowed else "denied",
        contract=decision.name,
        reason=redactor.redact_text(decision.reason),
        would_deny=tuple(found.item.id for found in decision.would_deny),
        warnings=tuple(found.item.id for found in answered if found.action == "warn" and found.binding),
        contracts=tuple(contracts),
        unasked=tuple(_unasked(policy, call, decision)),
    )


def _unasked(policy: Policy, call: ToolCall, decision: Decision) -> Iterator[str]:
    if policy.limits:
        names = dict.fromkeys(limit.item.id for limit in policy.limits)
        yield f"limits of a session, which one call is not: {', '.join(f'`{name}`' for name in names)}"
    later = [f"`{rule.item.id}`" for rule in policy.after.of(call.tool).rules]
    if later and not decision.allowed:
        yield f"what looks at the answer, which a denied call has not: {', '.join(later)}"
    elif later and call.answer is None:
        yield f"what looks at the answer, which is not given: {', '.join(later)}"


def _explained(rule: Rule, call: ToolCall, found: Finding | None, redactor: Redactor) -> Explained:
    return Explained(
        id=rule.item.id,
        type=rule.item.kind,
        observed=not rule.item.binding,
        where=str(rule.item.where),
        fires=found is not None,
        message="" if found is None else redactor.redact_text(found.reason),
        condition=None if rule.when is None else _branch(trace(rule.when, call), redactor),
    )


def _without_condition(found: Finding, redactor: Redactor) -> Explained:
    """What no contract says: the default for tools that none names."""
    return Explained(
        id=found.item.id,
        type=found.item.kind,
        observed=not found.binding,
        where="",
        fires=True,
        message=redactor.redact_text(found.reason),
    )


def _branch(traced: Trace, redactor: Redactor) -> Branch:
    expression = traced.expression
    if isinstance(expression, Leaf):
        saw = None if traced.value is MISSING else _redacted(expression, traced.value, redactor)
        return Branch(says=_said(expression), state=traced.state, saw=saw, why=redactor.redact_text(traced.says))
    parts = tuple(_branch(part, redactor) for part in traced.parts)
    return Branch(says=expression.how, state=traced.state, parts=parts)


def _said(leaf: Leaf) -> str:
    """Below a `not` a view is asked for all that it shows."""
    return f"every {spell(leaf)}" if leaf.every and without_view(leaf.selector) != leaf.selector else spell(leaf)


def _redacted(leaf: Leaf, value: Any, redactor: Redactor) -> Any:
    """As it would be recorded: what its name makes a secret is one here, too."""
    names = without_view(leaf.selector).split(".")
    for name in reversed(names):
        value = {name: value}
    value, _ = redactor.redact_value(value)
    for name in names:
        value = value[name] if isinstance(value, dict) else value
    return value
