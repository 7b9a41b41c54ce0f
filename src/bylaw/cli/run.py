"""`bylaw run`: contract files to one plan, the plan to a journal, the journal to reports and an exit code."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from bylaw import harness
from bylaw.cli.output import stderr, stdout
from bylaw.cli.screen import show_diagnostics
from bylaw.errors import Misuse
from bylaw.formats import Loaded, load_paths
from bylaw.journal import JournalWriter, read_journal
from bylaw.plan import Group, Plan
from bylaw.report.exit import ExitCode, exit_code
from bylaw.report.json_report import render_json
from bylaw.report.junit import render_junit
from bylaw.report.progress import LiveProgress
from bylaw.report.terminal import render_terminal
from bylaw.verdict import Verdict

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
    for asked in (junit, journal):
        if asked is not None:
            _make_sure_of(asked, loaded)
    with _journal_file(journal) as kept:
        verdict = _run(loaded, kept, jobs=jobs, seed=seed)
        if junit is not None:
            with _told(junit), junit.open("wb") as out:
                render_junit(lambda: read_journal(kept), out)
        with _told("stdout"):
            _report(kept, as_json=as_json, verbose=verbose)
    sys.exit(exit_code(verdict))


def _report(kept: Path, *, as_json: bool, verbose: bool) -> None:
    if not as_json:
        render_terminal(lambda: read_journal(kept), stdout(), verbose=verbose)
        return
    for chunk in render_json(lambda: read_journal(kept)):
        sys.stdout.buffer.write(chunk)
    sys.stdout.flush()


def _run(loaded: Loaded, kept: Path, *, jobs: int, seed: int) -> Verdict:
    with _told(kept), ExitStack() as stack:
        writer = JournalWriter(kept)
        stack.callback(writer.close)
        progress = stack.enter_context(LiveProgress(stderr()))
        return harness.run(loaded.plan, jobs=jobs, listen=(writer, progress), seed=seed, files=loaded.files)


@contextmanager
def _journal_file(asked: Path | None) -> Iterator[Path]:
    """The journal's place: where it was asked for, or one that is gone afterwards."""
    if asked is not None:
        yield asked
        return
    with tempfile.TemporaryDirectory(prefix="bylaw-journal-") as directory:
        yield Path(directory) / "journal.jsonl"


def _make_sure_of(path: Path, loaded: Loaded) -> None:
    """Before anything runs: an agent's calls are not spent on a report that can't be written."""
    if path.resolve() in [Path(file).resolve() for file in loaded.files]:
        raise Misuse(f"{path} is a contract file of this run and would be overwritten")
    with _told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()


@contextmanager
def _told(where: Path | str) -> Iterator[None]:
    """What agents and checks raise is caught in the harness, so this is about what is written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Misuse(f"can't write to {where}: {error.strerror}") from error


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
