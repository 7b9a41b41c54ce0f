"""An existing draft refreshed from what was seen since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bylaw.formats.packs.documents import NOT_JUDGED, ContractFile
from bylaw.observe.changing import changed, parsed
from bylaw.observe.headings import with_heading
from bylaw.observe.inferring import Draft
from bylaw.observe.pins import NO_PINS, Pins
from bylaw.observe.promoting import require_draft
from bylaw.observe.writing import GENERATED, CaseFile, contract_data, heading
from bylaw.reader import MapNode, Problems, plain
from bylaw.reader.documents import read_record


def update(
    text: str, draft: Draft, *, cases: Sequence[CaseFile] = (), pins: Pins = NO_PINS, file: str = "contract"
) -> str:
    """The text of a draft that says what `draft` says, with `cases` after those it has.

    What is pinned, keys that no draft has, and every line that stays true are left as they are. Raises `InvalidFile`
    for a contract that is no draft.
    """
    root = parsed(text, file=file)
    require_draft(root)
    _require_contract(root)
    old = plain(root)
    new = pins.kept(old, _beside(old, contract_data(draft, cases)))
    others = {key: value for key, value in old.items() if key not in GENERATED}
    ordered = {key: new.get(key, others.get(key)) for key in old if key in new or key in others}
    return with_heading(changed(text, root, ordered | new, file=file), heading(draft))


def _require_contract(root: MapNode) -> None:
    problems = Problems()
    read_record(ContractFile, root, problems, beside=frozenset(NOT_JUDGED))
    problems.raise_errors()


def _beside(old: Mapping[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """What a draft never speaks of stays: invariants of the request, and the cases there are."""
    asserted = old.get("assertions") or {}
    others = {key: value for key, value in asserted.items() if key != "output_invariants"}
    if others or "assertions" in new:
        new["assertions"] = others | new.get("assertions", {})
    new["golden_cases"] = [*old.get("golden_cases", ()), *new["golden_cases"]]
    return new
