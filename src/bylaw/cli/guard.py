"""`bylaw guard`: what a guard's bundles do, asked before an agent finds out."""

from __future__ import annotations

import importlib

import click

_COMMANDS = {
    "check": "what a bundle says of one call, and why",
    "diff": "what differs between two bundles, contract by contract",
    "impact": "what a bundle would change on recorded traffic",
    "test": "try a bundle on cases",
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        found = importlib.import_module(f"bylaw.cli.guarding.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(name="guard", cls=_Lazy)
def command() -> None:
    """Ask what CallGuard bundles do: on one call, on cases, against another bundle, on recorded traffic."""
