"""Operators: asked directly, and in the place of each format where they are written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.evidence import Evidence, ModelCall, ToolCall
from bylaw.language.operators import CALLS, JSON, MISSING
from bylaw.policy import MemoryLedger, decide
from bylaw.reader import Problems, parse
from bylaw.verdict import Outcome

from .cases import OperatorCase, of_kind
from .gaps import along
from .roads import bundle_of, judged_on, loaded, policy_in, run_plan, write

DIALECTS = {"calls": CALLS, "json": JSON}
NUMBERS = {"nan": math.nan, "infinity": math.inf}
OF_A_RULE = {
    "hit": Outcome.failed,
    "miss": Outcome.passed,
    "missing": Outcome.passed,
    "mismatch": Outcome.error,
}


def fields(case: OperatorCase) -> dict[str, Any]:
    if case.number is not None:
        return {"field": NUMBERS[case.number]}
    return {} if case.value is msgspec.UNSET else {"field": case.value}


@pytest.mark.parametrize("case", along("operator", of_kind(OperatorCase)))
def test_an_operator(case: OperatorCase) -> None:
    dialect = DIALECTS[case.dialect]
    problems = Problems()
    written = parse(msgspec.json.encode(case.operand).decode(), file="operand", problems=problems)
    assert written is not None, problems.errors
    operand = dialect.operators[case.operator].operand.read(written, problems)
    assert problems.errors == ()
    assert dialect.test(case.operator, operand)(fields(case).get("field", MISSING)).name == case.wanted


def of_dialect(name: str) -> list[OperatorCase]:
    return [case for case in of_kind(OperatorCase) if case.dialect == name]


@pytest.mark.parametrize("case", along("decide", of_dialect("calls")))
def test_in_a_condition_on_calls(case: OperatorCase, tmp_path: Path) -> None:
    contract = {
        "id": "it",
        "type": "pre",
        "tool": "t",
        "when": {"args.field": {case.operator: case.operand}},
        "then": {"effect": "deny", "message": "no"},
    }
    write({"bundle.yaml": bundle_of([contract])}, tmp_path)
    call = ToolCall(tool="t", args=fields(case))
    (found,) = decide(policy_in(tmp_path / "bundle.yaml"), call, ledger=MemoryLedger())
    assert found.outcome == OF_A_RULE[case.wanted]


@pytest.mark.parametrize("case", along("pack", of_dialect("json")))
def test_in_an_assertion_on_json(case: OperatorCase, tmp_path: Path) -> None:
    assertion = {"path": "$.field", case.operator: case.operand}
    contract = {
        "tool": "multi_tool_call",
        "assertions": {"output_invariants": [assertion]},
        "golden_cases": [{"id": "it", "input_ref": "it.json"}],
    }
    write({"contract.yaml": contract}, tmp_path)
    evidence = Evidence(events=(ModelCall(request={}, response=fields(case)),))
    result = run_plan(judged_on(evidence, loaded(tmp_path / "contract.yaml").plan))
    ((found,),) = result.cells.values()
    assert found.outcome == (Outcome.passed if case.wanted == "hit" else Outcome.failed), found.reason


def test_every_operator_has_cases() -> None:
    spoken_of = {(case.dialect, case.operator) for case in of_kind(OperatorCase)}
    assert spoken_of == {(name, word) for name, dialect in DIALECTS.items() for word in dialect.operators}
