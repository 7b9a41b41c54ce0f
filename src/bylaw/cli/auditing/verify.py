"""`bylaw audit verify`: whether an audit log is whole."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from bylaw.errors import Misuse
from bylaw.guard.audit import Verification, log_files, read_heads, verify
from bylaw.report.exit import ExitCode
from bylaw.report.safe_text import visible


@click.command(name="verify")
@click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--heads",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with the heads of the chains as they were published.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on stdout.")
def command(paths: tuple[Path, ...], heads: Path | None, as_json: bool) -> None:
    """Find the first record of each chain that was changed, removed or moved.

    The files that rotation made out of a log (`audit.jsonl.000001` and on) are read with it. Exits with 0 when the
    log is intact, 1 when it is not, 2 when it can't be read, 3 when there is no record in it.
    """
    found = verify(_files(paths), heads=None if heads is None else read_heads(heads))
    if as_json:
        document = {"schema": 1, **msgspec.to_builtins(found)}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    else:
        _show(found, with_heads=heads is not None)
    sys.exit(ExitCode[found.state])


def _files(paths: Iterable[Path]) -> list[Path]:
    """Each file once, in the order in which they were written."""
    files: dict[Path, Path] = {}
    for path in sorted(paths):
        found = log_files(path)
        if path not in found:
            raise Misuse(f"can't read {path}: there is no such file")
        for file in found:
            files.setdefault(file.resolve(), file)
    return list(files.values())


def _show(found: Verification, *, with_heads: bool) -> None:
    for problem in found.problems:
        where = f"{problem.file}:{problem.line}: " if problem.file else ""
        whose = f"chain {problem.writer}: " if problem.writer else ""
        click.echo(visible(f"{where}{problem.kind}: {whose}{problem.says}"))
    if found.more_problems:
        click.echo(f"and {found.more_problems} more lines that are no record of a chain")
    for notice in found.notices:
        click.echo(visible(f"{notice.file}:{notice.line}: note: {notice.says}"))
    if found.more_notices:
        click.echo(f"and {found.more_notices} more notes")
    if found.state == "undecided":
        click.echo("nothing to verify: no records found")
        return
    chains = len(found.chains)
    word = "intact" if found.state == "held" else "broken"
    click.echo(f"{word}: {found.records} records in {chains} chain{'s' * (chains != 1)}")
    if found.state == "held":
        hint = "" if with_heads else " without --heads"
        for unknown in found.unknown:
            click.echo(f"can't be known{hint}: {unknown}")
