"""`bylaw audit`: what can be asked of an audit log."""

from __future__ import annotations

import click

from bylaw.cli.lazy import LazyGroup

_COMMANDS = {
    "verify": "find records that were changed, removed or moved",
}


@click.group(name="audit", cls=LazyGroup, room="bylaw.cli.auditing", about=_COMMANDS)
def command() -> None:
    """Ask whether the audit logs of guarded tool calls are whole."""
