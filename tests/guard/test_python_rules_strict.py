"""A rule in Python that says something else than yes or no, is for no tool, or writes into what it is given."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from bylaw.errors import Misuse
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.python_rules import (
    HookDecision,
    HookRegistration,
    PythonRule,
    SessionCounts,
    ToolEnvelope,
    Verdict,
    postcondition,
    precondition,
    session_contract,
)

from .bundles import Call, echo


def denied(call: Call, guard: Guard, args: dict[str, Any] | None = None) -> Denied:
    with pytest.raises(Denied) as raised:
        call(guard, "t", args or {}, echo)
    return raised.value


@pytest.mark.parametrize("answer", ["false", "true", 1, 0, None, [False]], ids=repr)
def test_a_verdict_that_is_neither_true_nor_false_denies(call: Call, answer: Any) -> None:
    for rule in (precondition("t")(lambda _: Verdict(answer)), session_contract(lambda _: Verdict(answer))):
        found = denied(call, Guard(contracts=[rule]))
        assert found.decision is not None
        assert found.decision.policy_error
        assert f"its `passed` is {type(answer).__name__}, not true or false" in found.reason


def test_a_hook_that_says_neither_yes_nor_no_denies(call: Call) -> None:
    answer: Any = "deny"
    hook = HookRegistration("before", "t", lambda _: HookDecision(answer, "x"))
    found = denied(call, Guard(hooks=[hook]))
    assert found.decision is not None
    assert found.decision.policy_error
    assert "its `allowed` is str, not true or false" in found.reason


def test_a_postcondition_that_says_neither_warns(call: Call) -> None:
    answer: Any = "ok"
    rule = postcondition("t")(lambda *_: Verdict(answer))
    (warning,) = call(Guard(contracts=[rule]), "t", {}, echo).warnings
    assert warning.code == "policy_error"


def test_a_message_that_is_no_text_denies(call: Call) -> None:
    message: Any = 5
    rule = precondition("t")(lambda _: Verdict(False, message))
    assert "its `message` is int, not text" in denied(call, Guard(contracts=[rule])).reason


@pytest.mark.parametrize("tool", ["t*", "?", "read_[ab]", "", ["t"], None], ids=repr)
@pytest.mark.parametrize("kind", ["precondition", "postcondition", "hook"])
def test_what_is_no_tools_name_is_misuse_at_once(tool: Any, kind: str) -> None:
    def rule(*_: Any) -> Verdict:
        return Verdict.pass_()

    def register() -> object:
        if kind == "hook":
            return HookRegistration("before", tool, lambda _: None)
        return (precondition if kind == "precondition" else postcondition)(tool)(rule)

    with pytest.raises(Misuse, match=r"would never be asked: .* use `\*`|for one tool or for `\*`"):
        register()


def meddler(envelope: Any) -> None:
    """Writes over whatever it can reach."""
    envelope.args["amount"] = 1
    envelope.args["deep"]["x"] = 1
    envelope.metadata["ok"] = True
    if envelope.principal is not None:
        envelope.principal.claims["level"] = 9


def test_what_one_rule_writes_misleads_no_other(call: Call) -> None:
    seen: list[Any] = []

    def look(envelope: ToolEnvelope) -> Verdict:
        assert envelope.principal is not None
        seen.append(copy.deepcopy((envelope.args, envelope.metadata, envelope.principal.claims)))
        meddler(envelope)
        return Verdict.pass_()

    rules: list[PythonRule] = [precondition("t")(look), precondition("*")(look)]
    hook = HookRegistration("before", "t", meddler)
    after = postcondition("t")(lambda envelope, _: look(envelope))
    guard = Guard(contracts=[*rules, after, after], hooks=[hook, hook])
    metadata = {"why": "test"}
    args = {"amount": 900, "deep": {"x": 0}}
    call(guard, "t", args, echo, principal={"claims": {"level": 1}}, metadata=metadata)
    assert seen == [({"amount": 900, "deep": {"x": 0}}, {"why": "test"}, {"level": 1})] * 4
    assert metadata == {"why": "test"}


def test_what_one_session_contract_writes_misleads_no_other(call: Call) -> None:
    def wipe(counts: Any) -> Verdict:
        counts.per_tool.clear()
        return Verdict.pass_()

    def one_of_a_tool(counts: SessionCounts) -> Verdict:
        return Verdict(counts.per_tool.get("t", 0) < 1, "enough")

    guard = Guard(contracts=[session_contract(wipe), session_contract(one_of_a_tool)])
    call(guard, "t", {}, echo)
    assert denied(call, guard).reason == "enough"
