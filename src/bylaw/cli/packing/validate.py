"""`bylaw pack validate`: everything a pack says, and whether its files are there, without judging anything."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bylaw.cli.screen import show_diagnostics
from bylaw.formats.packs.loading import load_pack
from bylaw.formats.packs.planning import How
from bylaw.report.exit import ExitCode


@click.command(name="validate")
@click.argument("path", metavar="PACK", type=click.Path(path_type=Path))
def command(path: Path) -> None:
    """Check a pack's contracts, its list of accepted cases and its own file."""
    loaded = load_pack(path, How())
    show_diagnostics(loaded.diagnostics)
    cases = sum(1 for group in loaded.plan.root.members for _ in getattr(group, "members", ()))
    if loaded.valid:
        click.echo(f"valid: {len(loaded.files)} contracts with {cases} cases")
    sys.exit(ExitCode.held if loaded.valid else ExitCode.invalid)
