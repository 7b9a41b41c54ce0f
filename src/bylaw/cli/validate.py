"""`bylaw validate`: everything that is wrong with some files, all at once."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from bylaw.cli.paths import GIVEN
from bylaw.cli.screen import as_document, show_diagnostics
from bylaw.formats import Loaded, load_paths
from bylaw.report.exit import ExitCode


@click.command(name="validate")
@click.argument("paths", nargs=-1, required=True, type=GIVEN)
@click.option("--json", "as_json", is_flag=True, help="Print the diagnostics as JSON on stdout.")
def command(paths: tuple[Path, ...], as_json: bool) -> None:
    """Check contract files, or all of them below directories, without running anything; `-` is stdin.

    Exits with 0 when every file is valid (warnings may be there), with 2 when one is not or none was found.
    """
    loaded = load_paths(paths)
    valid = loaded.valid and bool(loaded.files)
    if as_json:
        said = [as_document(found) for found in loaded.diagnostics]
        document = {"schema": 1, "valid": valid, "files": loaded.files, "diagnostics": said}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))
    else:
        show_diagnostics(loaded.diagnostics)
        click.echo(_summary(loaded), err=not valid)
    sys.exit(ExitCode.held if valid else ExitCode.invalid)


def _summary(loaded: Loaded) -> str:
    count = len(loaded.files)
    if not count:
        return "no contract file found"
    verb = "valid" if loaded.valid else "read, not all valid"
    said = f"{count} contract file{'s' * (count != 1)} {verb}"
    if loaded.passed_over:
        said += f"; {len(loaded.passed_over)} other YAML file{'s' * (len(loaded.passed_over) != 1)} passed over"
    return said
