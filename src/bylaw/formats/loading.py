"""Paths to one plan: which files there are, which format each is, and everything that is wrong with them."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from bylaw import formats as package
from bylaw.errors import Diagnostic, Span
from bylaw.formats.format import Context, Format
from bylaw.plan import Plan, join
from bylaw.reader import MapNode, Problems, Source
from bylaw.scoring import AllHold

_ENDINGS = (".yaml", ".yml")
_PASSED_OVER = frozenset({"node_modules", "__pycache__"})


@cache
def formats() -> dict[str, Format]:
    """Every module of this package that has a `FORMAT`, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    found = [module.FORMAT for module in modules if isinstance(getattr(module, "FORMAT", None), Format)]
    return {known.name: known for known in found}


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """What some paths came to. `files` are those of a known format; `passed_over` the other YAML files on the way."""

    plan: Plan
    files: tuple[str, ...]
    passed_over: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def valid(self) -> bool:
        return not any(found.level == "error" for found in self.diagnostics)


def load_paths(paths: Sequence[Path], *, seed: int = 0) -> Loaded:
    context = Context(problems=Problems(), seed=seed)
    plans: list[Plan] = []
    files: list[str] = []
    passed_over: list[str] = []
    for path, asked_for in _files(paths, context.problems):
        source, said = context.look(path)
        known = None if source is None else _recognise(source)
        if known is None and not asked_for and (source is not None or _empty(said)):
            passed_over.append(str(path))
            continue
        context.problems.extend(said)
        if source is None:
            continue
        if known is None:
            passed_over.append(str(path))
            _unknown(path, context.problems)
            continue
        files.append(str(path))
        plan = known.plan(source, context)
        if plan is not None:
            plans.append(plan)
    return Loaded(
        plan=join(plans, fold=AllHold()),
        files=tuple(files),
        passed_over=tuple(passed_over),
        diagnostics=tuple(dict.fromkeys(context.problems.all)),
    )


def _recognise(source: Source) -> Format | None:
    root = source.root
    if not isinstance(root, MapNode):
        return None
    return next((known for known in formats().values() if known.claims(root, source.path)), None)


def _empty(said: Sequence[Diagnostic]) -> bool:
    return [found.code for found in said if found.level == "error"] == ["empty-file"]


def _unknown(path: Path, problems: Problems) -> None:
    titles = ", ".join(known.title for known in formats().values())
    problems.add(
        "unknown-format", "this is no contract file bylaw knows", Span(file=str(path)), hint=f"it reads: {titles}"
    )


def _files(paths: Sequence[Path], problems: Problems) -> Iterator[tuple[Path, bool]]:
    """The YAML files below the paths, each once, and whether it was named itself."""
    seen: set[str] = set()
    for path in paths:
        found = [(path, True)]
        if os.path.isdir(path):  # noqa: PTH112 (`Path.is_dir` raises for a name that is too long)
            told = len(problems.errors)
            found = [(inner, False) for inner in sorted(_below(path, problems))]
            if not found and len(problems.errors) == told:
                problems.add("no-files", "there is no YAML file below this directory", Span(file=str(path)))
        for inner, asked_for in found:
            real = os.path.realpath(inner)  # `Path.resolve` raises for a link to itself
            if real not in seen:
                seen.add(real)
                yield inner, asked_for


def _below(directory: Path, problems: Problems) -> Iterator[Path]:
    waiting = [directory]
    while waiting:
        looked_at = waiting.pop()
        try:
            entries = list(os.scandir(looked_at))
        except OSError as error:
            problems.add("unreadable", f"can't be read: {error.strerror}", Span(file=str(looked_at)))
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _PASSED_OVER:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(looked_at / entry.name)
            elif Path(entry.name).suffix.lower() in _ENDINGS and not _is_directory(entry):
                yield looked_at / entry.name


def _is_directory(entry: os.DirEntry[str]) -> bool:
    """A link to one is not followed; a link that leads nowhere is told when it is read."""
    try:
        return entry.is_dir()
    except OSError:
        return False
