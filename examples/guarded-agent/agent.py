"""A few tool calls of an agent, each through the guard: allowed, denied, observed, warned, limited."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bylaw.callguard import AuditAction, CallGuard, CallGuardDenied, MemoryAuditSink

HERE = Path(__file__).parent


def bash(command: str) -> str:
    return f"ran {command}"


def export_rows(limit: int) -> str:
    return f"{limit} rows exported"


def lookup_customer(name: str) -> str:
    return f"{name}, card 4111 1111 1111 1111"


def send_mail(to: str) -> str:
    return f"mail to {to} sent"


def main() -> None:
    audit = MemoryAuditSink()
    guard = CallGuard.from_yaml(HERE / "desk.yaml", audit_sink=audit)

    def call(tool: Callable[..., str], **args: Any) -> None:
        shown = f"{tool.__name__}({', '.join(f'{name}={value!r}' for name, value in args.items())})"
        before = len(audit.events)
        try:
            outcome = guard.call_sync(tool.__name__, args, tool)
        except CallGuardDenied as denied:
            said = f"DENIED by {denied.decision_name}: {denied.reason}"
        else:
            watched = [event for event in audit.events[before:] if event.action is AuditAction.CALL_WOULD_DENY]
            notes = [f"observed, {event.decision_name} would deny: {event.reason}" for event in watched]
            notes += [f"warned by {found.item.id}: {found.reason}" for found in outcome.warnings]
            said = f"allowed: {outcome.result}" + "".join(f"\n      {note}" for note in notes)
        sys.stdout.write(f"  {shown}\n      {said}\n")

    call(bash, command="ls -l")
    call(bash, command="sudo env X=1 rm --force --recursive /srv")
    call(export_rows, limit=5000)
    call(lookup_customer, name="Kim")
    call(send_mail, to="kim@example.com")
    call(send_mail, to="lee@example.com")
    call(send_mail, to="max@example.com")
    sys.stdout.write(f"\n  {len(audit.events)} audit events, policy {guard.policy_version[:12]}\n")


if __name__ == "__main__":
    main()
