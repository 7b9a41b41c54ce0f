"""`bylaw pack promote`: drafts become contracts that bind."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bylaw.cli.screen import show_diagnostics
from bylaw.errors import Diagnostic, InvalidFile, Misuse
from bylaw.observe import promote_file
from bylaw.report.exit import ExitCode


@click.command(name="promote")
@click.argument("files", metavar="FILES...", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
def command(files: tuple[Path, ...]) -> None:
    """Take the draft's mark off contracts. Every other byte, comments included, stays as it is."""
    wrong: list[Diagnostic] = []
    for file in files:
        try:
            promote_file(file)
        except InvalidFile as error:
            wrong += error.diagnostics
        except OSError as error:
            raise Misuse(f"can't promote {file}: {error.strerror}") from error
        else:
            click.echo(f"promoted {file}: it binds from now on")
    show_diagnostics(wrong)
    sys.exit(ExitCode.invalid if wrong else ExitCode.held)
