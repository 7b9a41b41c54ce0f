"""`bylaw run`: contract files to one plan, the plan to a journal, the journal to reports and an exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from bylaw.cli.judging import Reports, judge
from bylaw.cli.screen import show_diagnostics
from bylaw.errors import Misuse
from bylaw.formats import Loaded, load_paths
from bylaw.plan import Group, Plan
from bylaw.report.exit import ExitCode

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(name="run")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
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
    """Judge contract files, or all of them below directories, in one run.

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
        _show_plan(loaded)
        return
    reports = Reports(as_json=as_json, junit=junit, journal=journal, verbose=verbose)
    sys.exit(judge(loaded.plan, files=loaded.files, reports=reports, jobs=jobs, seed=seed))


def _show_plan(loaded: Loaded) -> None:
    plan: Plan = loaded.plan
    for group in plan.root.members:
        if isinstance(group, Group):
            cells = list(group.cells())
            left_out = sum(bool(cell.excluded) for cell in cells)
            trials = len({trial for cell in cells if not cell.excluded for trial in cell.trials})
            said = f"{group.id}: {group.kind} `{group.title}`: {len(cells)} cells on {trials} trials"
            click.echo(said + (f", {left_out} not applicable" if left_out else ""))
    cost = plan.cost()
    click.echo(
        f"would run {len(plan.trials)} trials: {cost.agent_calls} agent calls"
        f" and {cost.model_calls} model calls of our own"
    )
