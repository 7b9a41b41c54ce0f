"""Bundles for a command, or everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bylaw.cli.paths import GIVEN
from bylaw.formats.bundles import Composed, compose, read_bundle
from bylaw.guard.loading import Bundles, load_bundles
from bylaw.policy import Policy
from bylaw.reader import Problems, load

FILE = GIVEN


def bundles_of(paths: Sequence[Path]) -> Bundles:
    """What a guard with these files would decide by, and what in them replaced what."""
    return load_bundles(paths, mode=None)


def policy_of(paths: Sequence[Path]) -> Policy:
    return bundles_of(paths).policy


def contracts_of(*paths: Path) -> list[Composed]:
    """The contracts of each file by itself; what is wrong in any of them is told for all."""
    problems = Problems()
    sources = [load(path, problems=problems) for path in paths]
    bundles = [None if source is None else read_bundle(source, problems, advise=False) for source in sources]
    problems.raise_errors()
    return [compose([bundle]) for bundle in bundles if bundle is not None]
