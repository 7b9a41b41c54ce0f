"""Where a pack is, and what it says of itself."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Annotated, ClassVar

import msgspec

from bylaw.formats.format import Context
from bylaw.reader import Document, ListNode, Text, read

FILE = "pack.yaml"
CONTRACTS = "contracts"


class PackFile(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a pack"

    name: Annotated[str, Text(min=1)]
    version: Annotated[str | None, "for people"] = None
    description: str | None = None
    contracts: Annotated[tuple[str, ...] | None, "the contracts of the pack; without it, all below `contracts/`"] = (
        None
    )


class PackRoot(msgspec.Struct, frozen=True, kw_only=True):
    """The directory of `contracts/`, `golden/` and `recordings/`; a contract alone lies beside its `golden/`."""

    root: Path

    def golden(self, input_ref: str) -> Path:
        return self.root / "golden" / input_ref

    def recording(self, input_ref: str) -> Path:
        return self.root / "recordings" / (input_ref.removesuffix(".json") + ".recording.json")

    def relative(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def holds(self, path: Path) -> bool:
        """Whether a file, also one that is not there yet, lies in the pack once every link is followed."""
        root = os.path.realpath(self.root)
        return os.path.commonpath((root, os.path.realpath(path))) == root


def root_of(contract: Path) -> PackRoot:
    for folder in contract.parents:
        if folder.name == CONTRACTS:
            return PackRoot(root=folder.parent)
    return PackRoot(root=contract.parent)


def pack_file(pack: PackRoot, context: Context) -> PackFile | None:
    """What the pack says of itself, if it does; everything wrong with that is reported once."""
    return context.once((FILE, pack.root), lambda: _read(pack, context))


def _read(pack: PackRoot, context: Context) -> PackFile | None:
    path = pack.root / FILE
    if not path.is_file():
        return None
    source = context.source(path)
    found = None if source is None else read(PackFile, source.root, context.problems)
    if found is None:
        return None
    listed = found.at.get("contracts")
    nodes = listed.items if isinstance(listed, ListNode) else []
    for name, node in zip(found.contracts or (), nodes, strict=True):
        path = pack.root / name
        if ".." in PurePosixPath(name).parts or not pack.holds(path):
            said, hint = f"`{name}` leads out of the pack", "keep its contracts below it"
            context.problems.add("leaves-pack", said, node.span, hint=hint)
        elif not path.is_file():
            said, hint = f"there is no contract at `{name}`", "paths are relative to the pack"
            context.problems.add("no-such-file", said, node.span, hint=hint)
    return found
