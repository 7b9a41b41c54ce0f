"""`bylaw pack`: contracts on model answers."""

from __future__ import annotations

import click

from bylaw.cli.lazy import LazyGroup

_COMMANDS = {
    "run": "judge a pack on its recordings, or live",
    "validate": "check a pack and its files without judging anything",
    "observe": "draft contracts from answers, recordings, an audit log or traces",
    "promote": "make drafts binding",
    "drift": "compare outcomes with the ones that were accepted",
}


@click.group(
    name="pack",
    cls=LazyGroup,
    room="bylaw.cli.packing",
    about=_COMMANDS,
    context_settings={"token_normalize_func": lambda name: name.replace("_", "-")},
)
def command() -> None:
    """ReplayCI packs: which tools a model calls, and with which arguments, on recordings or live."""
