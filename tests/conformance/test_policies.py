"""What a bundle says of calls: decided live, as a check over recorded calls, and by its own examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bylaw.evidence import Evidence
from bylaw.policy import MemoryLedger, after, decide
from bylaw.scoring import FirstDenial
from bylaw.verdict import Finding

from .cases import CallData, PolicyCase, of_kind
from .gaps import along
from .roads import bundle_of, judged_on, loaded, policy_in, run_plan, write


def bundle(case: PolicyCase, contracts: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return bundle_of(case.contracts if contracts is None else contracts, mode=case.mode, unmatched=case.unmatched)


def short(findings: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(found.item.id, found.outcome, found.action) for found in findings]


@pytest.mark.parametrize("case", along("decide", of_kind(PolicyCase)))
def test_deciding(case: PolicyCase, tmp_path: Path) -> None:
    write({"bundle.yaml": bundle(case)}, tmp_path)
    policy = policy_in(tmp_path / "bundle.yaml")
    ledger = MemoryLedger()
    for wanted in case.calls:
        findings = decide(policy, wanted.call, ledger=ledger)
        verdict = FirstDenial()(findings)
        assert short(findings) == wanted.findings
        assert verdict.word == wanted.decision
        if wanted.reason is not None:
            assert wanted.reason in [found.reason for found in findings]
        assert short(after(policy, wanted.call)) == wanted.after


@pytest.mark.parametrize("case", along("chaos", of_kind(PolicyCase)))
def test_as_an_invariant_over_recorded_calls(case: PolicyCase, tmp_path: Path) -> None:
    contract = {
        "version": "2.0",
        "agent": {"type": "command", "endpoint": "false"},
        "golden_prompts": ["go"],
        "contract": {"name": "policy", "invariants": [{"id": "it", "type": "policy", "bundle": "bundle.yaml"}]},
        "chaos_matrix": [{"name": "calm"}],
    }
    write({"bundle.yaml": bundle(case), "contract.yaml": contract}, tmp_path)
    evidence = Evidence(events=tuple(wanted.call for wanted in case.calls))
    result = run_plan(judged_on(evidence, loaded(tmp_path / "contract.yaml").plan))
    ((found,),) = result.cells.values()
    denials = [wanted for wanted in case.calls if wanted.decision == "deny"]
    assert found.outcome == ("failed" if denials else "passed"), found.reason
    if denials:
        assert f"`{_denied_by(denials[0], case)}`" in found.reason


@pytest.mark.parametrize("case", along("examples", of_kind(PolicyCase)))
def test_as_examples_of_its_contracts(case: PolicyCase, tmp_path: Path) -> None:
    """What a call must come to is written below each contract as an example; a rule that breaks is no example."""
    contracts = [_with_examples(contract, case.calls) for contract in case.contracts]
    write({"bundle.yaml": bundle(case, contracts)}, tmp_path)
    result = run_plan(loaded(tmp_path / "bundle.yaml").plan)
    said = [finding for call in case.calls for finding in call.findings + call.after]
    broken = {name for name, outcome, _ in said if outcome == "error"}
    for cell, (found,) in result.cells.items():
        name = cell.partition("#")[2].partition(":")[0]
        if found.outcome == "failed":
            assert (name in broken, found.code) == (True, "policy_error"), f"{cell}: {found.reason}"
        else:
            assert found.outcome in ("passed", "not_applicable"), f"{cell}: {found.reason}"


def _with_examples(contract: dict[str, Any], calls: list[CallData]) -> dict[str, Any]:
    if contract["type"] == "session":
        return contract
    fires = "deny" if contract["type"] == "pre" else "warn"
    examples: dict[str, list[Any]] = {fires: [], "allow": []}
    for call in calls:
        for name, outcome, _ in call.findings + call.after:
            if name == contract["id"]:
                examples["allow" if outcome == "passed" else fires].append(_example(call))
    return {**contract, "examples": examples} if any(examples.values()) else contract


def _example(call: CallData) -> dict[str, Any]:
    answer = {} if call.answer is None else {"output": call.answer.text}
    return {
        "tool": call.tool,
        "args": call.args,
        "environment": call.environment,
        "principal": call.principal,
        **answer,
    }


def _denied_by(call: CallData, case: PolicyCase) -> str:
    modes = {contract["id"]: contract.get("mode", case.mode) for contract in case.contracts}
    denials = [name for name, _, action in call.findings if action == "deny"]
    return next(name for name in denials if modes.get(name, "enforce") == "enforce")
