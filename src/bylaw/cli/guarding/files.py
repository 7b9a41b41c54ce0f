"""Bundles for a command, with everything that is wrong with them shown before it ends."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from bylaw.cli.screen import show_diagnostics
from bylaw.errors import InvalidFile
from bylaw.formats.bundles import Composed, compose, read_bundle
from bylaw.guard.loading import load_bundles
from bylaw.policy import Policy
from bylaw.reader import Problems, load
from bylaw.report.exit import ExitCode

FILE = click.Path(path_type=Path)


def policy_of(paths: Sequence[Path]) -> Policy:
    """What a guard with these files would decide by."""
    try:
        return load_bundles(paths, mode=None).policy
    except InvalidFile as error:
        show_diagnostics(error.diagnostics)
        sys.exit(ExitCode.invalid)


def contracts_of(*paths: Path) -> list[Composed]:
    """The contracts of each file by itself; what is wrong in any of them is shown for all."""
    problems = Problems()
    sources = [load(path, problems=problems) for path in paths]
    bundles = [None if source is None else read_bundle(source, problems, advise=False) for source in sources]
    if problems.errors:
        show_diagnostics(problems.errors)
        sys.exit(ExitCode.invalid)
    return [compose([bundle]) for bundle in bundles if bundle is not None]
