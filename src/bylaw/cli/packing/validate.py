"""`bylaw pack validate`: everything that is wrong with a pack's files, without judging anything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from bylaw.cli.screen import as_document, show_diagnostics
from bylaw.errors import Diagnostic, InvalidFile, Span
from bylaw.formats.packs import accepted
from bylaw.formats.packs.json_files import Unusable
from bylaw.formats.packs.loading import LoadedPack, load_contracts
from bylaw.formats.packs.validation import Looking
from bylaw.observe.pins import read_pins
from bylaw.plan import Group
from bylaw.report.exit import ExitCode
from bylaw.report.wording import count


@click.command(name="validate")
@click.argument("path", metavar="PACK", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the diagnostics as JSON on stdout.")
def command(path: Path, *, as_json: bool) -> None:
    """Check a pack's contracts, their cases and recordings, and every other file it has."""
    looking = Looking()
    loaded = load_contracts(path, looking.plan)
    diagnostics = (*loaded.diagnostics, *_pins(loaded), *_fingerprints(path))
    valid = not any(found.level == "error" for found in diagnostics)
    if as_json:
        said = [as_document(found) for found in diagnostics]
        document = {"schema": 1, "valid": valid, "files": loaded.files, "diagnostics": said}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))
    else:
        show_diagnostics(diagnostics)
        if valid:
            click.echo(_summary(loaded, looking.left_out))
    sys.exit(ExitCode.held if valid else ExitCode.invalid)


def _pins(loaded: LoadedPack) -> Iterator[Diagnostic]:
    for file in loaded.files:
        try:
            read_pins(Path(file))
        except InvalidFile as error:
            yield from error.diagnostics


def _fingerprints(path: Path) -> Iterator[Diagnostic]:
    file = (path if path.is_dir() else path.parent) / accepted.FILE
    try:
        accepted.read_fingerprints(file)
    except Unusable as error:
        yield Diagnostic(code="unreadable", message=str(error), where=Span(file=str(file)))


def _summary(loaded: LoadedPack, left_out: int) -> str:
    contracts = [group for group in loaded.plan.root.members if isinstance(group, Group)]
    cases = sum(len(group.members) for group in contracts)
    said = f"valid: {count(len(loaded.files), 'contract')} with {count(cases, 'case')}"
    if left_out:
        said += f", and {left_out} that `provider_modes` keeps from being judged on recordings"
    return said
