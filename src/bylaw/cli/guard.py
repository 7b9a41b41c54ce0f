"""`bylaw guard`: what a guard's bundles do, asked before an agent finds out."""

from __future__ import annotations

import click

from bylaw.cli.lazy import LazyGroup

_COMMANDS = {
    "check": "what a bundle says of one call, and why",
    "diff": "what differs between two bundles, contract by contract",
    "impact": "what a bundle would change on recorded traffic",
    "test": "try a bundle on cases",
}


@click.group(name="guard", cls=LazyGroup, room="bylaw.cli.guarding", about=_COMMANDS)
def command() -> None:
    """Ask what CallGuard bundles do: on one call, on cases, against another bundle, on recorded traffic."""
