"""One check, one outcome, whichever format it is written in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bylaw.checks import CHECKS

from .cases import CheckCase, of_kind
from .gaps import along
from .results import unlike_finding
from .roads import judged_on, loaded, run_plan, write


def chaos_contract(case: CheckCase) -> dict[str, Any]:
    looks_at_a_world = case.check["type"] in CHECKS and CHECKS[case.check["type"]].world
    negated = {"negate": True} if case.negate else {}
    return {
        "version": "2.0",
        "agent": {"type": "command", "endpoint": "false"},
        "golden_prompts": ["go"],
        "contract": {"name": "one check", "invariants": [{"id": "it", **case.check, **negated}]},
        "chaos_matrix": [{"name": "calm"}],
        **({"sandbox": {}} if looks_at_a_world else {}),
    }


def spec(case: CheckCase) -> dict[str, Any]:
    return {
        "id": "one-check",
        "task": {"prompt": "go"},
        "agent": {"type": "cli", "command": "false"},
        "invariants": {"it": {"description": "it", "check": case.check}},
    }


def pack_contract(case: CheckCase) -> dict[str, Any]:
    return {
        "tool": "multi_tool_call",
        "checks": [case.check],
        "golden_cases": [{"id": "it", "input_ref": "it.json"}],
    }


ROADS = {"chaos": chaos_contract, "spec": spec, "pack": pack_contract}
WALKED = [
    walk
    for road in ROADS
    for walk in along(road, (case for case in of_kind(CheckCase) if road == "chaos" or not case.negate), road)
]


@pytest.mark.parametrize(("road", "case"), WALKED)
def test_a_check(road: str, case: CheckCase, tmp_path: Path) -> None:
    write({"file.yaml": ROADS[road](case), **case.files}, tmp_path)
    result = run_plan(judged_on(case.evidence.evidence, loaded(tmp_path / "file.yaml").plan))
    ((found,),) = result.cells.values()
    wrong = list(unlike_finding(found, case.wanted))
    assert not wrong, "\n".join(wrong)


def test_every_check_has_cases() -> None:
    assert {case.check["type"] for case in of_kind(CheckCase)} == {*CHECKS, "policy"}
