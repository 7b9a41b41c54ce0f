"""Drafts as a pack on disk: a new one, or more for one that is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from bylaw.errors import Misuse
from bylaw.formats.packs.roots import FILE, PackRoot
from bylaw.observe.changing import parsed
from bylaw.observe.files import create_file, file_names, read_text, replace_file, write_directory
from bylaw.observe.inferring import Draft, infer, shown
from bylaw.observe.observation import Observation
from bylaw.observe.pins import read_pins
from bylaw.observe.promoting import require_draft
from bylaw.observe.recorded import NoObservation, recorded_observation
from bylaw.observe.updating import update
from bylaw.observe.writing import CaseFile, contract_text, golden_case, pretty
from bylaw.reader import plain
from bylaw.reader.writing import write
from bylaw.wire import whose

CASE = "success"


class PackFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What will be written, by its path in the pack, and what the contracts will say."""

    created: Mapping[str, bytes] = {}
    changed: Mapping[str, bytes] = {}
    drafts: tuple[Draft, ...] = ()


def write_pack(root: Path, drafts: Sequence[Draft], *, name: str | None = None, refresh: bool = False) -> PackFiles:
    """Writes what `plan_pack` says. A new pack appears whole; in one that is there, each file does."""
    files = plan_pack(root, drafts, name=name, refresh=refresh)
    if not root.exists():
        write_directory(root, files.created)
        return files
    for path, content in files.created.items():
        create_file(root / path, content)
    for path, content in files.changed.items():
        replace_file(root / path, content)
    return files


def plan_pack(root: Path, drafts: Sequence[Draft], *, name: str | None = None, refresh: bool = False) -> PackFiles:
    """Which files a pack of these drafts comes to. Reads what is there and writes nothing.

    A contract that is there is an error, unless drafts are to be refreshed and it is one. Raises `Misuse` where
    something is in the way, and `InvalidFile` for a contract that can't be refreshed.
    """
    planning = _Planning(root)
    called = file_names(draft.name for draft in drafts)
    there = [path for draft in drafts if (path := _contract(called[draft.name])) and (root / path).exists()]
    if there and not refresh:
        raise Misuse(
            f"{', '.join(there)} in {root} would be overwritten; refresh drafts, or choose another directory"
        )
    final = [
        planning.refreshed(called[draft.name], draft)
        if _contract(called[draft.name]) in there
        else planning.added(called[draft.name], draft)
        for draft in drafts
    ]
    if drafts and not (root / FILE).exists():
        said = "Drafts made from what was observed: review and promote them."
        about = {"name": name or root.resolve().name, "version": "0.1.0", "description": said}
        planning.created[FILE] = write(about).encode()
    return PackFiles(created=planning.created, changed=planning.changed, drafts=tuple(final))


def _contract(file: str) -> str:
    return f"contracts/{file}.yaml"


class _Planning:
    def __init__(self, root: Path) -> None:
        self.pack = PackRoot(root=root)
        self.created: dict[str, bytes] = {}
        self.changed: dict[str, bytes] = {}

    def added(self, file: str, draft: Draft) -> Draft:
        cases = [self._case(file, observation, taken=frozenset()) for observation in draft.cases]
        self.created[_contract(file)] = contract_text(draft, cases).encode()
        return draft

    def refreshed(self, file: str, draft: Draft) -> Draft:
        """The cases the contract has count as much as the new ones."""
        path = self.pack.root / _contract(file)
        mark, text = read_text(path)
        root = parsed(text, file=str(path))
        require_draft(root)
        listed = [case for case in plain(root).get("golden_cases") or () if isinstance(case, dict)]
        known, unread = self._known(draft.name, listed)
        recorded = {golden_case(observation) for observation in known}
        fresh = [observation for observation in draft.cases if golden_case(observation) not in recorded]
        grown = infer([*known, *fresh] or draft.cases)
        seen = len(known) + draft.seen - (len(draft.cases) - len(fresh))
        grown = msgspec.structs.replace(grown, seen=seen, review=(*unread, *grown.review))
        taken = frozenset(str(case.get("id")) for case in listed)
        cases = [
            self._case(file, observation, taken=taken)
            for observation in grown.cases
            if any(observation is other for other in fresh)
        ]
        new = update(text, grown, cases=cases, pins=read_pins(path), file=str(path))
        if new != text:
            self.changed[_contract(file)] = mark + new.encode()
        return grown

    def _known(self, name: str, listed: Sequence[Mapping[str, Any]]) -> tuple[list[Observation], list[str]]:
        found: list[Observation] = []
        unread: list[str] = []
        for case in listed:
            if case.get("expect_ok") is False:
                continue
            try:
                found.append(recorded_observation(self.pack, str(case.get("input_ref")), name=name))
            except NoObservation as error:
                unread.append(f"case {shown(str(case.get('id')))} was passed over: {error}")
        return found, unread

    def _case(self, file: str, observation: Observation, *, taken: frozenset[str]) -> CaseFile:
        for case in _names():
            ref = f"{file}.{case}.json"
            golden, recording = f"golden/{ref}", f"recordings/{ref.removesuffix('.json')}.recording.json"
            there = any((self.pack.root / path).exists() for path in (golden, recording))
            if case not in taken and golden not in self.created and not there:
                self.created[golden] = golden_case(observation)
                if observation.raw is not None and whose(observation.raw) != "normal":
                    self.created[recording] = pretty(observation.raw)
                return CaseFile(id=case, ref=ref)
        raise AssertionError("there is always another number")


def _names() -> Iterator[str]:
    yield CASE
    number = 2
    while True:
        yield f"{CASE}-{number}"
        number += 1
