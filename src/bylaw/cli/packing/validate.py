"""`bylaw pack validate`: everything that is wrong with what a pack says, without judging anything."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bylaw.cli.screen import show_diagnostics
from bylaw.formats.packs.loading import load_pack
from bylaw.formats.packs.planning import How
from bylaw.plan import Group
from bylaw.report.exit import ExitCode
from bylaw.report.wording import count


@click.command(name="validate")
@click.argument("path", metavar="PACK", type=click.Path(path_type=Path))
def command(path: Path) -> None:
    """Check a pack's contracts, its list of accepted cases and its own file."""
    loaded = load_pack(path, How())
    show_diagnostics(loaded.diagnostics)
    cases = sum(len(group.members) for group in loaded.plan.root.members if isinstance(group, Group))
    if loaded.valid:
        click.echo(f"valid: {count(len(loaded.files), 'contract')} with {count(cases, 'case')}")
    sys.exit(ExitCode.held if loaded.valid else ExitCode.invalid)
