"""`bylaw guard impact`: what a bundle would change on recorded traffic."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import click
import msgspec

from bylaw.cli.guarding.files import FILE, policy_of
from bylaw.errors import Misuse
from bylaw.guard.audit import log_files
from bylaw.guard.backtests import KINDS, Change, Example, Kind, Report, Undecided, backtest
from bylaw.report.exit import ExitCode
from bylaw.report.safe_text import safe_line, visible

_TITLES: dict[Kind, str] = {
    "loosened": "denied before, allowed now",
    "tightened": "allowed before, denied now",
    "moved": "denied by another contract",
    "observed": "newly observed: would be denied",
    "unobserved": "no longer observed",
    "warned": "newly warned of",
    "unwarned": "no longer warned of",
}
_WIDTH = 100


@click.command(name="impact")
@click.argument("new", nargs=-1, required=True, type=FILE)
@click.option(
    "--audit-log", "logs", multiple=True, required=True, type=FILE, metavar="FILE", help="Recorded calls; repeatable."
)
@click.option(
    "--old", multiple=True, type=FILE, metavar="FILE", help="Compare with these bundles, not with what was decided."
)
@click.option(
    "--examples", type=click.IntRange(min=0, max=1000), default=3, show_default=True, help="Of each change."
)
@click.option(
    "--fail-on",
    type=click.Choice(["loosened", "changed"]),
    help="Exit with 1 when a call is loosened, or when anything changes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout.")
def command(
    new: tuple[Path, ...],
    *,
    logs: tuple[Path, ...],
    old: tuple[Path, ...],
    examples: int,
    fail_on: Literal["loosened", "changed"] | None,
    as_json: bool,
) -> None:
    """Say what the bundles NEW would change on the calls of an audit log, loosened calls first.

    The files that rotation made out of a log are read with it. What redaction took out of the record is not guessed:
    a call that hangs on it is undecided. Exits with 0 when every call could be compared, with 1 when `--fail-on` says
    so, with 2 when a file can't be used, with 3 when a call is undecided, a line is no record, or there was no call.
    """
    files = _files(logs)
    found = backtest(files, new=policy_of(new), old=policy_of(old) if old else None, examples=examples)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        _show(found)
    sys.exit(_exit_code(found, fail_on))


def _files(paths: Iterable[Path]) -> list[Path]:
    """Each file once, rotated ones before the one that is written."""
    files: dict[Path, Path] = {}
    for path in paths:
        found = log_files(path)
        if path not in found:
            raise Misuse(f"can't read {path}: there is no such file")
        for file in found:
            files.setdefault(file.resolve(), file)
    return list(files.values())


def _exit_code(found: Report, fail_on: Literal["loosened", "changed"] | None) -> ExitCode:
    if (fail_on == "loosened" and found.totals["loosened"]) or (fail_on == "changed" and found.changed):
        return ExitCode.broken
    return ExitCode.held if found.complete else ExitCode.undecided


def _show(found: Report) -> None:
    for kind in KINDS:
        if changes := [change for change in found.changes if change.kind == kind]:
            click.echo(f"{kind}: {found.totals[kind]:,} ({_TITLES[kind]})")
            for change in changes:
                _show_entry(f"{_named(change)}: {_calls(change.count)}", change)
    if found.undecided:
        click.echo(f"undecided: {_calls(found.undecided)}")
        for reason in found.undecided_because:
            _show_entry(f"`{reason.contract}`: {_calls(reason.count)}, because {reason.why}", reason)
    for line in _unread(found):
        click.echo(line)
    click.echo(_summary(found))


def _named(change: Change) -> str:
    return f"`{change.contract}`" + (f", now `{change.now}`" if change.now else "")


def _show_entry(title: str, entry: Change | Undecided) -> None:
    click.echo(visible(f"  {title}"))
    for example in entry.examples:
        click.echo(f"    {_said(example)}")


def _said(example: Example) -> str:
    args = msgspec.json.encode(example.args).decode()
    return f"{safe_line(f'{example.at} {example.tool} {args}', cells=_WIDTH)}  ({visible(example.where)})"


def _unread(found: Report) -> Iterator[str]:
    count = sum(found.unread_lines.values())
    if not count:
        return
    yield f"lines without an event: {count:,}"
    for line in found.unread:
        yield visible(f"  {line.where}: {line.says}")
    if count > len(found.unread):
        yield f"  and {count - len(found.unread):,} more"


def _summary(found: Report) -> str:
    if not found.calls:
        return "nothing was compared: there is no call in the log"
    against = "what was decided" if found.old is None else "the old bundles"
    said = f"compared {_calls(found.calls)} with {against}: {found.changed:,} changed, {found.unchanged:,} the same"
    if found.undecided:
        said += f", {found.undecided:,} undecided"
    if found.orphans:
        said += f"; {found.orphans:,} outcomes belong to calls that began before the log, and were not compared"
    return said


def _calls(count: int) -> str:
    return f"{count:,} call{'s' * (count != 1)}"
