"""The attack corpus: what an entry may say, the reading of all of them, and what a bundle makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from bylaw.callguard import CallGuard

from .cases import SUITE, BadSuite, Strict, data_in

ATTACKS = SUITE / "attacks"
TEMPLATES = Path(__file__).parents[2] / "src" / "bylaw" / "cli" / "templates"

Half = Literal["a", "b"]
ShellDeed = Literal["delete-tree", "read-secret", "run-fetched", "overwrite-device", "lose-history"]
PathDeed = Literal["leave-project", "read-secret"]
UrlDeed = Literal["reach-metadata", "reach-localhost", "reach-evil"]


class Link(Strict, frozen=True, kw_only=True):
    """A symbolic link that an entry finds in its directory."""

    link: str


class Entry(Strict, frozen=True, kw_only=True):
    """One spelling. It names its `deed` or is `harmless`; one that is not executed says `why`."""

    note: str
    half: Half
    deed: str | None = None
    harmless: Literal[True] | None = None
    executed: Literal[False] | None = None
    why: str | None = None
    needs: tuple[str, ...] = ()
    setup: Mapping[str, str | Link] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.deed is None) == (self.harmless is None):
            raise ValueError("an entry has a `deed` or is `harmless: true`")
        if (self.executed is None) != (self.why is None):
            raise ValueError("`executed: false` and `why` go together")

    @property
    def text(self) -> str:
        raise NotImplementedError


class ShellEntry(Entry, frozen=True, kw_only=True):
    command: str
    deed: ShellDeed | None = None
    shell: Literal["bash", "sh"] = "bash"

    @property
    def text(self) -> str:
        return self.command


class PathEntry(Entry, frozen=True, kw_only=True):
    path: str
    deed: PathDeed | None = None

    @property
    def text(self) -> str:
        return self.path


class UrlEntry(Entry, frozen=True, kw_only=True):
    url: str
    deed: UrlDeed | None = None

    @property
    def text(self) -> str:
        return self.url


E = TypeVar("E", bound=Entry)


class Judged(Strict, frozen=True, kw_only=True):
    """What a kind of spelling is handed to: a file of spellings, a starter bundle, and a call of one tool."""

    kind: type[Entry]
    bundle: str
    tool: str
    argument: str

    @property
    def template(self) -> Path:
        return TEMPLATES / self.bundle


JUDGED: Mapping[str, Judged] = {
    "shell": Judged(kind=ShellEntry, bundle="shell.yaml", tool="bash", argument="command"),
    "paths": Judged(kind=PathEntry, bundle="files.yaml", tool="read_file", argument="path"),
    "urls": Judged(kind=UrlEntry, bundle="research.yaml", tool="fetch_url", argument="url"),
}


class Excuse(Strict, frozen=True, kw_only=True):
    """Entries that a starter bundle judges wrongly, by note, and why that is so."""

    file: Literal["shell", "paths", "urls"]
    reason: str
    notes: list[str]


class Remaining(Strict, frozen=True, kw_only=True):
    not_stopped: list[Excuse]
    denied_though_harmless: list[Excuse]


class Score(Strict, frozen=True, kw_only=True):
    """What a bundle made of a file's spellings."""

    stopped: tuple[Entry, ...]
    passed: tuple[Entry, ...]
    denied: tuple[Entry, ...]
    allowed: tuple[Entry, ...]


@cache
def entries(name: str) -> tuple[Entry, ...]:
    return entries_in(ATTACKS / f"{name}.yaml", JUDGED[name].kind)


def entries_in(path: Path, kind: type[E]) -> tuple[E, ...]:
    try:
        found = tuple(msgspec.convert(entry, kind) for entry in data_in(path))
    except msgspec.ValidationError as problem:
        raise BadSuite(f"{path}: {problem}") from problem
    twice = [note for note, count in Counter(entry.note for entry in found).items() if count > 1]
    if twice:
        raise BadSuite(f"{path}: notes used twice: {', '.join(twice)}")
    return found


@cache
def remaining() -> Remaining:
    return msgspec.convert(data_in(ATTACKS / "remaining.yaml"), Remaining)


def excused(excuses: Iterable[Excuse], name: str) -> list[str]:
    return [note for excuse in excuses if excuse.file == name for note in excuse.notes]


def score(bundle: Path, name: str, *, half: Half | None = None) -> Score:
    """What a bundle says of every spelling of a file, or of one half of it. Nothing is executed."""
    judged = JUDGED[name]
    guard = CallGuard.from_yaml(bundle)
    denied: dict[bool, list[Entry]] = {True: [], False: []}
    for entry in entries(name):
        if half in (None, entry.half):
            decision = guard.evaluate(judged.tool, {judged.argument: entry.text})
            denied[not decision.allowed].append(entry)
    return Score(
        stopped=tuple(entry for entry in denied[True] if not entry.harmless),
        passed=tuple(entry for entry in denied[False] if not entry.harmless),
        denied=tuple(entry for entry in denied[True] if entry.harmless),
        allowed=tuple(entry for entry in denied[False] if entry.harmless),
    )


def table(bundle: Path, name: str) -> str:
    """For people: per half and deed how many spellings were stopped, and how many harmless ones denied."""
    lines = []
    for half in ("a", "b"):
        found = score(bundle, name, half=half)
        stopped = Counter(entry.deed for entry in found.stopped)
        total = stopped + Counter(entry.deed for entry in found.passed)
        lines += [f"{name} {half} {deed}: stopped {stopped[deed]}/{total[deed]}" for deed in total]
        lines.append(f"{name} {half} harmless: denied {len(found.denied)}/{len(found.denied) + len(found.allowed)}")
    return "\n".join(lines)
