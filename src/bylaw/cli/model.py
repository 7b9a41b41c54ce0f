"""`bylaw model`: models that are none."""

from __future__ import annotations

import click

from bylaw.cli.lazy import LazyGroup

_COMMANDS = {
    "serve": "answer in place of a provider, by a script",
}


@click.group(name="model", cls=LazyGroup, room="bylaw.cli.modelling", about=_COMMANDS)
def command() -> None:
    """Stand in for a model, so that an agent can be tried without one."""
