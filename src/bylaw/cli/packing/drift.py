"""`bylaw pack drift`: whether cases still come out as they were accepted."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec

from bylaw.cli.packing.settings import answers_of, settled, whose
from bylaw.cli.packing.unreported import run_for_outcomes
from bylaw.cli.screen import show_diagnostics
from bylaw.errors import Misuse
from bylaw.formats.packs.accepted import FILE, Drift, accept, drifts, read_fingerprints
from bylaw.formats.packs.json_files import Unusable
from bylaw.formats.packs.loading import load_pack
from bylaw.formats.packs.outcomes import CaseOutcome
from bylaw.formats.packs.planning import How
from bylaw.report.exit import ExitCode
from bylaw.report.safe_text import visible


@click.command(name="drift")
@whose
@click.option("--accept", "accepting", is_flag=True, help="Accept the outcomes as they are now.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=4, show_default=True, help="So many at once.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def command(path: Path | None, pack: Path | None, *, accepting: bool, jobs: int, as_json: bool, **flags: Any) -> None:
    """Compare the outcome of every case with the one that was accepted, for the same provider and model.

    Exit codes: 0 all the same, 1 some drifted or are gone, 3 some are new or gave nothing to compare.
    """
    root, wanted = settled(path, pack, **flags)
    loaded = load_pack(root, How(answers=answers_of(wanted)))
    show_diagnostics(loaded.diagnostics)
    if not loaded.valid:
        sys.exit(ExitCode.invalid)
    found = [_inside(case, root) for case in run_for_outcomes(loaded, jobs=jobs)]
    name = " ".join(filter(None, (wanted.provider, wanted.model)))
    file = (root if root.is_dir() else root.parent) / FILE
    try:
        if accepting:
            count = accept(file, name, found)
            click.echo(f"accepted {count} of {len(found)} outcomes for {name}, in {file}")
            sys.exit(ExitCode.held if count == len(found) else ExitCode.undecided)
        told = drifts(read_fingerprints(file).accepted.get(name, {}), found)
    except Unusable as error:
        raise Misuse(str(error)) from error
    except OSError as error:
        raise Misuse(f"can't write to {file}: {error.strerror}") from error
    _show(told, as_json=as_json)
    sys.exit(_code(told))


def _inside(case: CaseOutcome, root: Path) -> CaseOutcome:
    """Named from the pack on, so that the names are the same wherever it lies."""
    return msgspec.structs.replace(case, case=case.case.removeprefix(f"{root.as_posix()}/"))


def _show(told: list[Drift], *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode({"schema": 1, "cases": told}).decode())
        return
    for drift in told:
        if drift.kind != "same":
            change = f" {drift.was} → {drift.now}" if drift.kind == "drifted" else ""
            click.echo(f"{drift.kind}{change}  {visible(drift.case)}  {visible(drift.word)}".rstrip())
    counts = Counter(drift.kind for drift in told)
    click.echo(", ".join(f"{count} {kind}" for kind, count in counts.items()) or "there are no cases")


def _code(told: list[Drift]) -> ExitCode:
    kinds = {drift.kind for drift in told}
    if kinds & {"drifted", "gone"}:
        return ExitCode.broken
    return ExitCode.undecided if kinds & {"new", "unknown"} or not kinds else ExitCode.held
