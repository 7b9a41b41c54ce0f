"""`bylaw guard test`: a bundle tried on cases."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bylaw.cli.guarding.files import FILE, policy_of
from bylaw.cli.judging import Reports, judge
from bylaw.cli.screen import show_diagnostics
from bylaw.guard.cases import read_cases
from bylaw.reader import Problems, load
from bylaw.report.exit import ExitCode

_OUT = click.Path(dir_okay=False, path_type=Path)


@click.command(name="test")
@click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=FILE)
@click.option("--cases", required=True, type=FILE, metavar="YAML", help="Calls, and what they must come to.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout.")
@click.option("--junit", type=_OUT, metavar="FILE", help="Write a JUnit report.")
@click.option("--journal", type=_OUT, metavar="FILE", help="Keep the journal of the run.")
@click.option("--verbose", "-v", is_flag=True, help="Show what passed in full, too.")
def command(
    paths: tuple[Path, ...],
    *,
    cases: Path,
    as_json: bool,
    junit: Path | None,
    journal: Path | None,
    verbose: bool,
) -> None:
    """Decide the calls of some cases by the bundles FILES, and say which cases came out as expected.

    The calls of a case are one session, so limits count; what is expected is expected of the last of them.
    """
    policy = policy_of(paths)
    problems = Problems()
    source = load(cases, problems=problems)
    plan = None if source is None else read_cases(source, policy, problems)
    show_diagnostics(problems.all)
    if plan is None:
        sys.exit(ExitCode.invalid)
    files = [str(path) for path in (*paths, cases)]
    reports = Reports(as_json=as_json, junit=junit, journal=journal, verbose=verbose)
    sys.exit(judge(plan, files=files, reports=reports, jobs=1))
