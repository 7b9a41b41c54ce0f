"""An agent that deploys: every kind of contract in one bundle, each doing what its text says."""

from __future__ import annotations

from pathlib import Path

import pytest

from bylaw.callguard import AuditAction, CallGuard, CallGuardDenied, MemoryAuditSink, Principal
from bylaw.formats.loading import load_paths

BUNDLE = r"""
apiVersion: callguard/v1
kind: ContractBundle
metadata:
  name: release-desk
  description: What the agent at the release desk may do.
defaults:
  mode: enforce
contracts:
  - id: keys-stay-shut
    type: pre
    tool: read_file
    when:
      args.path: { contains_any: [.env, kubeconfig, .pem, id_rsa] }
    then: { effect: deny, message: "'{args.path}' is a key. Go on without it.", tags: [secrets] }

  - id: nothing-wiped
    type: pre
    tool: bash
    when:
      any:
        - args.command: { matches: '\brm\s+-rf?\b' }
        - args.command: { matches: '\bmkfs\b' }
        - args.command: { contains: '> /dev/' }
    then: { effect: deny, message: "'{args.command}' wipes data.", tags: [destructive] }

  - id: seniors-release
    type: pre
    tool: deploy_service
    when:
      all:
        - environment: { equals: production }
        - principal.role: { not_in: [senior_engineer, sre, admin] }
    then: { effect: deny, message: "A release needs a senior.", tags: [change-control] }

  - id: releases-have-tickets
    type: pre
    tool: deploy_service
    when:
      all:
        - environment: { equals: production }
        - principal.ticket_ref: { exists: false }
    then: { effect: deny, message: "A release needs a ticket.", tags: [change-control] }

  - id: numbers-of-people
    type: post
    tool: "*"
    when:
      output.text:
        matches_any: ['\b\d{3}-\d{2}-\d{4}\b', '\b[A-Z]{2}\d{2}( ?\d{4}){4}\b']
    then: { effect: warn, message: "There are personal numbers in this answer.", tags: [pii] }

  - id: dear-endpoints
    type: pre
    mode: observe
    tool: call_api
    when:
      args.endpoint: { contains: /v1/dear }
    then: { effect: deny, message: "This endpoint is dear.", tags: [cost] }

  - id: enough-for-today
    type: session
    limits:
      max_tool_calls: 50
      max_attempts: 120
      max_calls_per_tool: { deploy_service: 3, send_notification: 10 }
    then: { effect: deny, message: "Enough. Sum up and stop.", tags: [limits] }
"""
SENIOR = Principal(user_id="kim", role="sre", ticket_ref="OPS-7")


def done(**_: object) -> str:
    return "done"


@pytest.fixture
def sink() -> MemoryAuditSink:
    return MemoryAuditSink()


@pytest.fixture
def guard(sink: MemoryAuditSink) -> CallGuard:
    return CallGuard.from_text(BUNDLE, audit_sink=sink)


@pytest.mark.parametrize("path", ["app/.env", "kubeconfig", "certs/server.pem", ".ssh/id_rsa"])
def test_files_with_keys_are_not_read(guard: CallGuard, path: str) -> None:
    with pytest.raises(CallGuardDenied) as denied:
        guard.run_sync("read_file", {"path": path}, done)
    assert denied.value.reason == f"'{path}' is a key. Go on without it."
    assert (denied.value.decision_source, denied.value.decision_name) == ("yaml_precondition", "keys-stay-shut")


@pytest.mark.parametrize("command", ["rm -rf /srv", "rm -r x", "mkfs /dev/sda1", "cat x > /dev/sda"])
def test_what_wipes_data_is_not_run(guard: CallGuard, command: str) -> None:
    with pytest.raises(CallGuardDenied, match="wipes data"):
        guard.run_sync("bash", {"command": command}, done)


def test_everything_else_goes_through(guard: CallGuard) -> None:
    assert guard.run_sync("read_file", {"path": "README.md"}, done) == "done"
    assert guard.run_sync("bash", {"command": "ls -l"}, done) == "done"
    assert guard.run_sync("deploy_service", {"service": "web"}, done, principal=SENIOR) == "done"


def test_juniors_release_elsewhere_only(guard: CallGuard) -> None:
    junior = Principal(role="intern", ticket_ref="OPS-8")
    with pytest.raises(CallGuardDenied, match="needs a senior"):
        guard.run_sync("deploy_service", {}, done, principal=junior)
    assert guard.run_sync("deploy_service", {}, done, principal=junior, environment="staging") == "done"


def test_a_release_without_a_ticket_is_denied(guard: CallGuard) -> None:
    with pytest.raises(CallGuardDenied, match="needs a ticket"):
        guard.run_sync("deploy_service", {}, done, principal=Principal(role="sre"))


def test_whoever_has_no_role_slips_past_the_first_gate(guard: CallGuard) -> None:
    """The hole: a missing field makes `not_in` false, too. Here the second gate still stands."""
    decision = guard.evaluate("deploy_service", {}, principal=Principal(user_id="nobody"))
    assert (decision.allowed, decision.name) == (False, "releases-have-tickets")
    assert guard.evaluate("deploy_service", {}, principal=Principal(ticket_ref="OPS-9")).allowed


def test_the_hole_is_told_before_anyone_finds_it(tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text(BUNDLE)
    loaded = load_paths([tmp_path / "desk.yaml"])
    (told,) = [said for said in loaded.diagnostics if said.code == "fails-open"]
    assert BUNDLE.splitlines()[told.where.line - 1].strip().startswith("- principal.role: { not_in:")
    assert "exists: false" in told.hint


@pytest.mark.parametrize("answer", ["id 078-05-1120", "pay DE89 3704 0044 0532 0130"])
def test_personal_numbers_in_an_answer_are_warned_of(guard: CallGuard, sink: MemoryAuditSink, answer: str) -> None:
    outcome = guard.call_sync("look_up", {}, lambda: answer)
    assert outcome.result == answer
    assert [found.item.id for found in outcome.warnings] == ["numbers-of-people"]
    assert sink.events[-1].action is AuditAction.POSTCONDITION_WARNING


def test_a_dear_call_is_made_and_noted(guard: CallGuard, sink: MemoryAuditSink) -> None:
    assert guard.run_sync("call_api", {"endpoint": "/v1/dear/thing"}, lambda endpoint: endpoint)
    noted = [event for event in sink.events if event.action is AuditAction.CALL_WOULD_DENY]
    assert [(event.decision_name, event.reason) for event in noted] == [("dear-endpoints", "This endpoint is dear.")]


def test_a_tool_with_a_limit_stops_there(guard: CallGuard) -> None:
    for _ in range(3):
        guard.run_sync("deploy_service", {}, done, principal=SENIOR)
    with pytest.raises(CallGuardDenied, match="Enough") as denied:
        guard.run_sync("deploy_service", {}, done, principal=SENIOR)
    assert denied.value.decision_source == "yaml_session"
    assert guard.run_sync("bash", {"command": "ls"}, done) == "done"


def test_fifty_calls_are_enough(guard: CallGuard) -> None:
    for _ in range(50):
        guard.run_sync("bash", {"command": "ls"}, done)
    with pytest.raises(CallGuardDenied, match="Enough"):
        guard.run_sync("read_file", {"path": "README.md"}, done)


def test_whoever_keeps_trying_is_stopped(guard: CallGuard) -> None:
    for _ in range(120):
        with pytest.raises(CallGuardDenied, match="is a key"):
            guard.run_sync("read_file", {"path": ".env"}, done)
    with pytest.raises(CallGuardDenied, match="Enough"):
        guard.run_sync("bash", {"command": "ls"}, done)


def test_every_record_names_the_file_that_made_it(guard: CallGuard, sink: MemoryAuditSink) -> None:
    guard.run_sync("bash", {"command": "ls"}, done)
    assert {event.policy_version for event in sink.events} == {guard.policy_version}
    (record,) = [each for each in sink.events[0].contracts_evaluated if each.id == "nothing-wiped"]
    assert record.tags == ("destructive",)
