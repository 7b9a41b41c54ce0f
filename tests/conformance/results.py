"""What a run came to, in one form whichever road it was read from, and how it differs from what a case wants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from bylaw.journal import CellJudged, Ended, Event, GroupJudged, Started
from bylaw.report.exit import ExitCode
from bylaw.verdict import Verdict

from .cases import OneWanted, WantedFinding, WantedRun, WantedVerdict

CLOSE = 0.0005


class Found(msgspec.Struct, frozen=True, kw_only=True):
    outcome: str
    code: str
    reason: str
    score: float
    action: str


class FoundVerdict(msgspec.Struct, frozen=True, kw_only=True):
    state: str
    word: str
    low: float | None
    high: float | None
    notes: tuple[str, ...] = ()


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """`run` is the verdict of the whole; `groups` are the files and what is in them, by id; `cells` by id."""

    exit: int
    run: FoundVerdict
    files: tuple[str, ...]
    groups: Mapping[str, FoundVerdict]
    cells: Mapping[str, tuple[Found, ...]]


def from_events(events: Iterable[Event]) -> Result:
    verdicts: dict[str, FoundVerdict] = {}
    cells: dict[str, tuple[Found, ...]] = {}
    notes: dict[str, tuple[str, ...]] = {}
    files: tuple[str, ...] = ()
    root: FoundVerdict | None = None
    for event in events:
        match event:
            case Started(groups=groups):
                top, *_ = groups
                notes = {outline.id: outline.notes for outline in groups}
                files = tuple(outline.id for outline in groups if outline.parent == top.id)
            case CellJudged(cell=cell):
                cells[cell] = tuple(
                    Found(outcome=c.outcome, code=c.code, reason=c.reason, score=c.score, action=c.action)
                    for c in event.conclusions
                )
            case GroupJudged(group=group, verdict=verdict) if group != "run":
                verdicts[group] = _verdict(verdict, notes[group])
            case Ended(verdict=verdict):
                root = _verdict(verdict, ())
    assert root is not None, "the run did not end"
    return Result(exit=ExitCode[root.state], run=root, files=files, groups=verdicts, cells=cells)


def _verdict(verdict: Verdict, notes: tuple[str, ...]) -> FoundVerdict:
    return FoundVerdict(state=verdict.state, word=verdict.word, low=verdict.low, high=verdict.high, notes=notes)


def from_json(document: Any, exit_code: int) -> Result:
    """The document of `--json`, beside the exit code that came with it."""
    assert document["exit_code"] == exit_code, "the document names another exit code than the command had"
    groups: dict[str, FoundVerdict] = {}
    cells: dict[str, tuple[Found, ...]] = {}
    for group in _groups(document["groups"]):
        groups[group["id"]] = FoundVerdict(**group["verdict"], notes=tuple(group["notes"]))
        for cell in group["cells"]:
            cells[cell["id"]] = msgspec.convert(cell["findings"], tuple[Found, ...])
    return Result(
        exit=exit_code,
        run=FoundVerdict(**document["verdict"]),
        files=tuple(group["id"] for group in document["groups"]),
        groups=groups,
        cells=cells,
    )


def _groups(listed: list[Any]) -> Iterator[Any]:
    for group in listed:
        yield group
        yield from _groups(group["groups"])


def differences(result: Result, wanted: WantedRun) -> list[str]:
    """Every way in which a result is not what was wanted."""
    found = [] if result.exit == wanted.exit else [f"exit {result.exit}, not {wanted.exit}"]
    whole = result.groups[result.files[0]] if len(result.files) == 1 else result.run
    found += _unlike("the verdict", whole, wanted)
    for name, verdict in wanted.groups.items():
        got = result.groups.get(name)
        found += [f"there is no group `{name}`"] if got is None else _unlike(f"`{name}`", got, verdict)
    found += _unlike_cells(result, wanted)
    return found


def _unlike(what: str, got: FoundVerdict, wanted: WantedVerdict) -> Iterator[str]:
    if got.state != wanted.state or wanted.word not in (None, got.word):
        yield f"{what} is {got.state}, {got.word!r}"
    for name in ("low", "high"):
        score, least = getattr(got, name), getattr(wanted, name)
        if least is not None and (score is None or abs(score - least) > CLOSE):
            yield f"{what} has {name} {score}, not {least}"
    for note in wanted.notes:
        if not any(note in said for said in got.notes):
            yield f"{what} has no note `{note}`, only {got.notes}"


def _unlike_cells(result: Result, wanted: WantedRun) -> Iterator[str]:
    """Each cell is told by the first pattern that fits its id or the part behind `#`; none may be left over."""
    unused = set(wanted.findings)
    for cell, findings in result.cells.items():
        short = cell.partition("#")[2]
        pattern = next((p for p in wanted.findings if p == short or _fits(p, short, cell)), None)
        if pattern is None:
            yield f"nobody spoke of the cell `{short}`: {[found.outcome for found in findings]}"
            continue
        unused.discard(pattern)
        one = wanted.findings[pattern]
        each = one if isinstance(one, list) else [one] * len(findings)
        if len(each) != len(findings):
            yield f"`{short}` has {len(findings)} findings, not {len(each)}"
        for number, (got, want) in enumerate(zip(findings, each, strict=False), 1):
            yield from (f"`{short}`, finding {number}: {why}" for why in unlike_finding(got, want))
    yield from (f"no cell is called `{pattern}`" for pattern in sorted(unused))


def _fits(pattern: str, *names: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in names)


def unlike_finding(got: Found, wanted: OneWanted) -> Iterator[str]:
    if not isinstance(wanted, WantedFinding):
        wanted = WantedFinding(outcome=wanted)
    if got.outcome != wanted.outcome or wanted.code not in (None, got.code):
        yield f"{got.outcome} [{got.code}] {got.reason}"
    if wanted.reason is not None and wanted.reason not in got.reason:
        yield f"the reason is `{got.reason}`"
    if wanted.score is not None and abs(got.score - wanted.score) > CLOSE:
        yield f"the score is {got.score}"
