"""The outcomes of a pack that somebody has accepted, to tell when one is no longer the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from bylaw.formats.packs.json_files import Unusable, read_raw
from bylaw.formats.packs.outcomes import CaseOutcome

FILE = "fingerprints.json"
SCHEMA = 1
Kind = Literal["same", "drifted", "new", "gone", "unknown"]


class Fingerprints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By provider and model, then by case."""

    schema: int = SCHEMA
    accepted: Mapping[str, Mapping[str, str]] = {}


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """One case against what was accepted. `unknown` is one that gave nothing to compare."""

    case: str
    kind: Kind
    was: str = ""
    now: str = ""
    word: str = ""


def read_fingerprints(path: Path) -> Fingerprints:
    """Raises `Unusable`; a file that is not there has accepted nothing."""
    if not path.is_file():
        return Fingerprints()
    try:
        found = msgspec.json.decode(read_raw(path), type=Fingerprints)
    except msgspec.MsgspecError as error:
        raise Unusable(f"`{path}` can't be read: {error}") from error
    if found.schema != SCHEMA:
        raise Unusable(f"`{path}` is of another version, {found.schema}")
    return found


def drifts(accepted: Mapping[str, str], found: Sequence[CaseOutcome]) -> list[Drift]:
    seen = {case.case: case for case in found}
    told = [_drift(case, accepted.get(case.case, "")) for case in found]
    gone = [Drift(case=name, kind="gone", was=was) for name, was in accepted.items() if name not in seen]
    return told + gone


def _drift(case: CaseOutcome, was: str) -> Drift:
    kind: Kind
    if not case.fingerprint or any(trial.failure for trial in case.trials):
        kind = "unknown"
    elif not was:
        kind = "new"
    else:
        kind = "same" if was == case.fingerprint else "drifted"
    return Drift(case=case.case, kind=kind, was=was, now=case.fingerprint, word=case.word)


def accept(path: Path, whose: str, found: Sequence[CaseOutcome]) -> int:
    """Writes the outcomes down as accepted, and gives how many; those without an answer are left out."""
    known = read_fingerprints(path)
    own = {drift.case: drift.now for drift in drifts({}, found) if drift.kind == "new"}
    accepted = {**{name: dict(cases) for name, cases in known.accepted.items()}, whose: own}
    text = msgspec.json.encode(Fingerprints(accepted=accepted), order="deterministic")
    path.write_bytes(msgspec.json.format(text, indent=2) + b"\n")
    return len(own)
