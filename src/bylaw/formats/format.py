"""What a format is: how its files are recognised, what plan they make, and their JSON Schema."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from bylaw.errors import Diagnostic
from bylaw.plan import Plan
from bylaw.reader import MapNode, Problems, Source, load

Made = TypeVar("Made")


class Context:
    """What a format may use while it makes a plan: where to report, the run's seed, and other files."""

    def __init__(self, *, problems: Problems, seed: int = 0, today: date | None = None) -> None:
        self.problems = problems
        self.seed = seed
        self.today = today or date.today()
        self._made: dict[Hashable, Any] = {}
        self._sources: dict[str, tuple[Source | None, tuple[Diagnostic, ...]]] = {}

    def source(self, path: Path) -> Source | None:
        """A file that another one names; what is wrong with it as YAML is reported."""
        source, said = self.look(path)
        self.problems.extend(said)
        return source

    def look(self, path: Path) -> tuple[Source | None, tuple[Diagnostic, ...]]:
        """A file, read once whatever it is called, and what is wrong with it as YAML, reported by nobody yet."""
        known = os.path.realpath(path)
        if known not in self._sources:
            short = Path(os.path.normpath(path))
            same = short == path or os.path.realpath(short) == known
            problems = Problems()
            source = load(short if same else path, problems=problems)
            self._sources[known] = source, problems.all
        return self._sources[known]

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What several files of a run share, made when the first of them asks."""
        if key not in self._made:
            self._made[key] = make()
        return cast("Made", self._made[key])

    def seed_for(self, *names: str) -> int:
        """A trial's own seed: the same for the same names and the same seed of the run, on every machine."""
        said = "\0".join([str(self.seed), *names])
        return int.from_bytes(hashlib.sha256(said.encode()).digest()[:6])


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """`claims` says by content whether a file is one of ours, however wrong; `plan` is None where it is wrong."""

    name: str
    title: str
    claims: Callable[[MapNode, Path], bool]
    plan: Callable[[Source, Context], Plan | None]
    schema: Callable[[], dict[str, Any]]
