"""A whole pack, or some of its contracts, as one plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bylaw.errors import Diagnostic, Span
from bylaw.formats.format import Context
from bylaw.formats.packs.planning import How, plan_contract
from bylaw.formats.packs.roots import CONTRACTS, PackRoot, pack_file
from bylaw.plan import Plan, join
from bylaw.reader import Problems, Source
from bylaw.scoring import AllHold

Planned = Callable[[Source, Context], Plan | None]
PINS = ".pins.yaml"
"""Ends the name of a file that says which fields of a draft somebody has settled."""


class LoadedPack(msgspec.Struct, frozen=True, kw_only=True):
    """`left_out` are contracts that were not asked for."""

    plan: Plan
    files: tuple[str, ...]
    left_out: int
    diagnostics: tuple[Diagnostic, ...]

    @property
    def valid(self) -> bool:
        return not any(found.level == "error" for found in self.diagnostics)


def load_pack(
    path: Path, how: How, *, only: Sequence[str] = (), most: int | None = None, seed: int = 0
) -> LoadedPack:
    """`only` are names of contract files, with or without their ending, or their paths in the pack."""
    return load_contracts(
        path, lambda source, context: plan_contract(source, context, how), only=only, most=most, seed=seed
    )


def load_contracts(
    path: Path, planned: Planned, *, only: Sequence[str] = (), most: int | None = None, seed: int = 0
) -> LoadedPack:
    """As `load_pack`, with each contract planned in the caller's way."""
    context = Context(problems=Problems(), seed=seed)
    found = contract_files(path, context)
    chosen = [file for file in found if not only or any(_is_named(file, path, name) for name in only)]
    for name in only:
        if not any(_is_named(file, path, name) for file in found):
            context.problems.add("no-such-contract", f"the pack has no contract `{name}`", Span(file=str(path)))
    chosen = chosen[:most]
    plans: list[Plan] = []
    for file in chosen:
        source = context.source(file)
        plan = None if source is None else planned(source, context)
        if plan is not None:
            plans.append(plan)
    plans = _told_apart(plans, PackRoot(root=path))
    return LoadedPack(
        plan=join(plans, fold=AllHold()),
        files=tuple(map(str, chosen)),
        left_out=len(found) - len(chosen),
        diagnostics=tuple(dict.fromkeys(context.problems.all)),
    )


def _told_apart(plans: Sequence[Plan], pack: PackRoot) -> list[Plan]:
    """Contracts on the same tool have their file in their title."""
    count = Counter(plan.root.title for plan in plans)
    return [plan if count[plan.root.title] == 1 else _with_file(plan, pack) for plan in plans]


def _with_file(plan: Plan, pack: PackRoot) -> Plan:
    title = f"{plan.root.title} ({pack.relative(Path(plan.root.id))})"
    return msgspec.structs.replace(plan, root=msgspec.structs.replace(plan.root, title=title))


def contract_files(path: Path, context: Context) -> list[Path]:
    """The contracts of a pack, or the one that is named; what is wrong is in the context's problems."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        context.problems.add("no-such-file", "there is no pack here", Span(file=str(path)))
        return []
    listed = pack_file(PackRoot(root=path), context)
    if listed is not None and listed.contracts is not None:
        pack = PackRoot(root=path)
        return [path / name for name in listed.contracts if (path / name).is_file() and pack.holds(path / name)]
    folder = path / CONTRACTS
    below = sorted(file for ending in ("*.yaml", "*.yml") for file in folder.rglob(ending))
    found = [file for file in below if not file.name.endswith(PINS)]
    if not found:
        hint = f"contracts are YAML files below `{folder}`"
        context.problems.add("no-files", "this pack has no contract", Span(file=str(path)), hint=hint)
    return found


def _is_named(file: Path, pack: Path, name: str) -> bool:
    inside = file.relative_to(pack).as_posix() if file.is_relative_to(pack) else file.as_posix()
    return name in (file.name, file.stem, inside)
