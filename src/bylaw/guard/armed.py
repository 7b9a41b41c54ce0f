"""Everything a call is judged by, as one value: swapped whole on reload, so a call ends under what it began with."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from bylaw.evidence import ToolCall
from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import HookRegistration, PythonRule, ToolEnvelope
from bylaw.guard.reporting import Reporter
from bylaw.guard.request import Request
from bylaw.guard.shown import said_by
from bylaw.guard.snapshot import snapshot
from bylaw.guard.steps import Wanted
from bylaw.policy import Policy
from bylaw.policy.deciding import wanted_attempts
from bylaw.policy.rules import ATTEMPTS
from bylaw.verdict import Finding

log = logging.getLogger("bylaw.guard")


class Armed(msgspec.Struct, frozen=True, kw_only=True):
    """A policy, the rules in Python beside it, and who is told.

    `enforces` is false where the guard as a whole only observes. `plain` says that nothing but rules on the call
    itself has a say before the tool runs, `looks_after` that something has one, or is told, afterwards, and
    `looks_back` that the arguments are looked at once the tool had them. `attempts` is what evaluating a call takes.
    """

    policy: Policy
    run_id: str
    enforces: bool
    hooks_before: tuple[HookRegistration, ...]
    hooks_after: tuple[HookRegistration, ...]
    preconditions: tuple[PythonRule, ...]
    postconditions: tuple[PythonRule, ...]
    session_contracts: tuple[PythonRule, ...]
    reporter: Reporter | None
    on_warning: Callable[[str, Finding], Any] | None
    side_effects: Mapping[str, str | None]
    mark: str
    plain: bool
    looks_after: bool
    looks_back: bool
    attempts: Wanted

    def envelope(self, request: Request, call: ToolCall) -> ToolEnvelope:
        """The call as rules in Python see it: a copy, so that none of them can change what was judged."""
        return ToolEnvelope(
            tool_name=call.tool,
            args=snapshot(call.args),
            call_id=request.call_id,
            run_id=self.run_id,
            call_index=request.call_index,
            parent_call_id=request.parent_call_id,
            session_id=request.session_id,
            environment=call.environment,
            side_effect=self.side_effects.get(call.tool),
            principal=None if call.principal is None else Principal(**snapshot(call.principal)),
            metadata=_own(request.metadata),
        )

    def complain(self, what: str, error: Exception) -> None:
        log.warning("%s: %s", what, said_by(error))


def _own(metadata: Any) -> Any:
    return dict(metadata) if isinstance(metadata, Mapping) else metadata


def arm(
    policy: Policy,
    *,
    run_id: str,
    enforces: bool,
    hooks: Iterable[HookRegistration],
    rules: Iterable[PythonRule],
    reporter: Reporter | None,
    on_warning: Callable[[str, Finding], Any] | None,
    side_effects: Mapping[str, str | None],
    mark: str,
) -> Armed:
    """What is the same for every call is worked out here."""
    hooks, rules = tuple(hooks), tuple(rules)
    hooks_after = tuple(hook for hook in hooks if hook.phase == "after")
    postconditions = tuple(rule for rule in rules if rule.kind == "postcondition")
    session_contracts = tuple(rule for rule in rules if rule.kind == "session_contract")
    looks_after = bool(policy.after.rules or hooks_after or postconditions)
    return Armed(
        policy=policy,
        run_id=run_id,
        enforces=enforces,
        hooks_before=tuple(hook for hook in hooks if hook.phase == "before"),
        hooks_after=hooks_after,
        preconditions=tuple(rule for rule in rules if rule.kind == "precondition"),
        postconditions=postconditions,
        session_contracts=session_contracts,
        reporter=reporter,
        on_warning=on_warning,
        side_effects=side_effects,
        mark=mark,
        plain=not (policy.limits or hooks or rules),
        looks_after=looks_after,
        looks_back=looks_after or reporter is not None,
        attempts=wanted_attempts(policy) or (((ATTEMPTS, None),) if session_contracts else ()),
    )
