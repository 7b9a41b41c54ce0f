"""`bylaw run`: contract files to one plan, the plan to a journal, the journal to reports and an exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import msgspec

from bylaw.cli.judging import Reports, judge
from bylaw.cli.paths import GIVEN
from bylaw.cli.screen import show_diagnostics
from bylaw.errors import Misuse
from bylaw.formats import Loaded, load_paths
from bylaw.plan import Group
from bylaw.report.exit import ExitCode

SCHEMA = 1
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(name="run")
@click.argument("paths", nargs=-1, required=True, type=GIVEN)
@click.option("--dry-run", is_flag=True, help="Show what would be run, with the number of calls, and run nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Write a JUnit report.")
@click.option("--journal", type=_FILE, metavar="FILE", help="Keep the journal of the run.")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=min(os.cpu_count() or 1, 8),
    show_default=True,
    help="How many trials run at once.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides every random choice of the run.")
@click.option("--verbose", "-v", is_flag=True, help="Show what passed in full, too.")
def command(
    paths: tuple[Path, ...],
    *,
    dry_run: bool,
    as_json: bool,
    junit: Path | None,
    journal: Path | None,
    jobs: int,
    seed: int,
    verbose: bool,
) -> None:
    """Judge contract files, or all of them below directories, in one run; `-` is stdin.

    Nothing runs unless every file is valid.
    """
    loaded = load_paths(paths, seed=seed)
    show_diagnostics(loaded.diagnostics)
    if not loaded.valid:
        sys.exit(ExitCode.invalid)
    if not loaded.files:
        looked = ", ".join(str(path) for path in paths)
        raise Misuse(f"no contract file found; looked at {looked}")
    if dry_run:
        outline = _outline(loaded)
        click.echo(msgspec.json.format(msgspec.json.encode(outline), indent=2) if as_json else _said(outline))
        return
    reports = Reports(as_json=as_json, junit=junit, journal=journal, verbose=verbose)
    sys.exit(judge(loaded.plan, files=loaded.files, reports=reports, jobs=jobs, seed=seed))


class PlannedGroup(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    kind: str
    title: str
    cells: int
    trials: int
    not_applicable: int


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """What would be run. Its shape changes only together with `schema`."""

    schema: int = SCHEMA
    files: tuple[str, ...]
    groups: tuple[PlannedGroup, ...]
    trials: int
    agent_calls: int
    model_calls: int


def _outline(loaded: Loaded) -> Outline:
    cost = loaded.plan.cost()
    return Outline(
        files=loaded.files,
        groups=tuple(_planned(group) for group in loaded.plan.root.members if isinstance(group, Group)),
        trials=len(loaded.plan.trials),
        agent_calls=cost.agent_calls,
        model_calls=cost.model_calls,
    )


def _planned(group: Group) -> PlannedGroup:
    cells = list(group.cells())
    return PlannedGroup(
        id=group.id,
        kind=group.kind,
        title=group.title,
        cells=len(cells),
        trials=len({trial for cell in cells if not cell.excluded for trial in cell.trials}),
        not_applicable=sum(bool(cell.excluded) for cell in cells),
    )


def _said(outline: Outline) -> str:
    lines = [
        f"{group.id}: {group.kind} `{group.title}`: {group.cells} cells on {group.trials} trials"
        + (f", {group.not_applicable} not applicable" if group.not_applicable else "")
        for group in outline.groups
    ]
    total = f"{outline.agent_calls} agent calls and {outline.model_calls} model calls of our own"
    return "\n".join([*lines, f"would run {outline.trials} trials: {total}"])
