"""Everything a call is judged by, as one value: swapped whole on reload, so a call ends under what it began with."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from bylaw.guard.principal import Principal
from bylaw.guard.python_rules import HookRegistration, PythonRule, ToolEnvelope
from bylaw.guard.reporting import Reporter
from bylaw.policy import Policy
from bylaw.verdict import Finding

log = logging.getLogger("bylaw.guard")


class Armed(msgspec.Struct, frozen=True, kw_only=True):
    """A policy, the rules in Python beside it, and who is told.

    `counts_attempts` and `counts_calls` say whether a session is counted although no contract limits it, because
    somebody reads the counts.
    """

    policy: Policy
    hooks: tuple[HookRegistration, ...] = ()
    conditions: tuple[PythonRule, ...] = ()
    session_contracts: tuple[PythonRule, ...] = ()
    reporter: Reporter | None = None
    on_warning: Callable[[str, Finding], Any] | None = None
    side_effects: Mapping[str, str] = {}
    mark: str = "[redacted]"

    @property
    def has_python(self) -> bool:
        return bool(self.hooks or self.conditions)

    @property
    def counts_attempts(self) -> bool:
        return bool(self.session_contracts)

    @property
    def counts_calls(self) -> bool:
        return bool(self.session_contracts)

    @property
    def plain(self) -> bool:
        """Nothing but rules on the call itself has a say before the tool runs."""
        return not (self.policy.limits or self.hooks or self.conditions or self.session_contracts)

    @property
    def looks_after(self) -> bool:
        """Something has a say, or is told, after the tool ran."""
        return bool(self.policy.after.rules or self.hooks or self.conditions)

    def envelope(self, request: Any, call: Any) -> ToolEnvelope:
        principal = msgspec.convert(dict(request.principal), Principal) if request.principal is not None else None
        return ToolEnvelope(
            tool_name=call.tool,
            args=call.args,
            call_id=request.call_id,
            parent_call_id=request.parent_call_id,
            session_id=request.session_id,
            environment=call.environment,
            side_effect=self.side_effects.get(call.tool),
            principal=principal,
            metadata=request.metadata,
        )

    def complain(self, what: str, error: Exception) -> None:
        log.warning("%s: %s: %s", what, type(error).__name__, error)
