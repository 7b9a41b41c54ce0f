"""ReplayCI packs: what a model must answer, judged on recorded responses unless somebody asks live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bylaw.formats.demands import demand_schema
from bylaw.formats.format import Context, Format
from bylaw.formats.packs.documents import NOT_JUDGED, ContractFile
from bylaw.formats.packs.planning import TITLE, How, plan_contract
from bylaw.plan import Plan
from bylaw.reader import MapNode, Source, schema

_MARKS = frozenset({"expect_tools", "expected_tool_calls", "golden_cases", "assertions"})
_RECORDED = How()


def _claims(root: MapNode, _: Path) -> bool:
    return "tool" in root.entries and bool(root.entries.keys() & _MARKS)


def _plan(source: Source, context: Context) -> Plan | None:
    return plan_contract(source, context, _RECORDED)


def _schema() -> dict[str, Any]:
    found = schema(ContractFile, title=TITLE)
    found["properties"]["checks"]["items"] = demand_schema()
    found["properties"] |= {key: {"description": f"not judged: {why}"} for key, why in NOT_JUDGED.items()}
    return found


FORMAT = Format(name="replayci", title=TITLE, claims=_claims, plan=_plan, schema=_schema)
