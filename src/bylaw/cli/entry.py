"""The front door: which commands there are, and the last border before the user."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

import click

from bylaw.cli.lazy import LazyGroup
from bylaw.errors import BylawError
from bylaw.report.exit import ExitCode

_COMMANDS = {
    "audit": "verify that an audit log is whole",
    "guard": "ask what a bundle does: check, test, diff, impact",
    "pack": "contracts on model answers: run, observe, promote, drift",
    "init": "write a starter bundle that works",
    "model": "stand in for a model, by a script",
    "run": "judge contract files: run what they plan, show what held and what did not",
    "schema": "print the JSON Schema of a format, for editors",
    "validate": "check contract files without running anything",
}


class NobodyReads(BylawError):
    """Whoever read the output has gone, as `head` does."""


class _FrontDoor(LazyGroup):
    def invoke(self, ctx: click.Context) -> Any:
        """click would end a command that nobody reads with 1, which here means a broken contract."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise NobodyReads("its output was closed before everything was written") from error


@click.group(
    cls=_FrontDoor, room="bylaw.cli", about=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="bylaw", message="%(prog)s %(version)s")
def bylaw() -> None:
    """Contracts for AI agents: written once, enforced on every tool call, checked before release.

    Exit codes: 0 held, 1 broken, 2 misuse or invalid file, 3 undecided.
    """


def main() -> None:
    """Every way out has an exit code of ours, and none but a broken contract has 1."""
    try:
        sys.exit(bylaw(prog_name="bylaw", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(ExitCode.invalid)
    except click.Abort:
        click.echo("bylaw: interrupted before there was anything to report", err=True)
        sys.exit(ExitCode.undecided)
    except NobodyReads:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.invalid)
    except BylawError as error:
        click.echo(f"bylaw: {error}", err=True)
        sys.exit(ExitCode.invalid)
    except Exception:  # noqa: BLE001 (the last border: a defect of ours is told in full and is no broken contract)
        traceback.print_exc()
        click.echo("bylaw: this is a defect of bylaw; nothing was decided", err=True)
        sys.exit(ExitCode.invalid)
