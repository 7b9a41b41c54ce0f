"""A plan run and reported: the same reports and exit codes for every command that judges something."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from bylaw import harness
from bylaw.cli.output import stderr, stdout
from bylaw.errors import Misuse
from bylaw.journal import JournalWriter, read_journal
from bylaw.plan import Plan
from bylaw.report.exit import ExitCode, exit_code
from bylaw.report.json_report import render_json
from bylaw.report.junit import render_junit
from bylaw.report.progress import LiveProgress
from bylaw.report.terminal import render_terminal
from bylaw.verdict import Verdict


class Reports(msgspec.Struct, frozen=True, kw_only=True):
    """What the user wants to see of a run, and where."""

    as_json: bool = False
    junit: Path | None = None
    journal: Path | None = None
    verbose: bool = False


def judge(
    plan: Plan,
    *,
    files: Sequence[str],
    reports: Reports,
    jobs: int,
    seed: int = 0,
    also: Callable[[Path], None] | None = None,
) -> ExitCode:
    """`also` gets the journal, which may be gone afterwards, once the reports are made."""
    for asked in (reports.junit, reports.journal):
        if asked is not None:
            _make_sure_of(asked, files)
    with _journal_file(reports.journal) as kept:
        verdict = _run(plan, kept, files=files, jobs=jobs, seed=seed)
        if reports.junit is not None:
            with _told(reports.junit), reports.junit.open("wb") as out:
                render_junit(lambda: read_journal(kept), out)
        _report(kept, as_json=reports.as_json, verbose=reports.verbose)
        if also is not None:
            also(kept)
    return exit_code(verdict)


def _report(kept: Path, *, as_json: bool, verbose: bool) -> None:
    if not as_json:
        render_terminal(lambda: read_journal(kept), stdout(), verbose=verbose)
        return
    for chunk in render_json(lambda: read_journal(kept)):
        sys.stdout.buffer.write(chunk)
    sys.stdout.flush()


def _run(plan: Plan, kept: Path, *, files: Sequence[str], jobs: int, seed: int) -> Verdict:
    with _told(kept), ExitStack() as stack:
        writer = JournalWriter(kept)
        stack.callback(writer.close)
        progress = stack.enter_context(LiveProgress(stderr()))
        return harness.run(plan, jobs=jobs, listen=(writer, progress), seed=seed, files=files)


@contextmanager
def _journal_file(asked: Path | None) -> Iterator[Path]:
    """The journal's place: where it was asked for, or one that is gone afterwards."""
    if asked is not None:
        yield asked
        return
    with tempfile.TemporaryDirectory(prefix="bylaw-journal-") as directory:
        yield Path(directory) / "journal.jsonl"


def _make_sure_of(path: Path, files: Sequence[str]) -> None:
    """Before anything runs: an agent's calls are not spent on a report that can't be written."""
    if path.resolve() in [Path(file).resolve() for file in files]:
        raise Misuse(f"{path} is a contract file of this run and would be overwritten")
    with _told(path):
        path.open("ab").close()


@contextmanager
def _told(where: Path) -> Iterator[None]:
    """What agents and checks raise is caught in the harness, so this is about what is written."""
    try:
        yield
    except FileNotFoundError as error:
        raise Misuse(f"can't write to {where}: there is no directory {where.parent}") from error
    except OSError as error:
        raise Misuse(f"can't write to {where}: {error.strerror}") from error
