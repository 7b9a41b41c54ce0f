"""Cases for a policy, as data: calls, and what the last of them must come to.

The calls of a case are one session, decided as a guard decides them; a call that fails gives its places back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from bylaw.agents.recorded import Recorded
from bylaw.errors import Span
from bylaw.evidence import Answer, Evidence, Need, ToolCall
from bylaw.guard.decision import Decision, decision_of
from bylaw.language.principals import PrincipalShape
from bylaw.plan import Cell, Group, Plan, Trial
from bylaw.policy import MemoryLedger, Policy, after, decide
from bylaw.policy.deciding import wanted_calls
from bylaw.reader import Document, Items, Problems, Source, Text, near, read
from bylaw.scoring import AllHold
from bylaw.verdict import Finding, Item, Outcome

FAILED = "the case says that it fails"


class CaseCall(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a call"

    tool: Annotated[str, Text(min=1)]
    args: Mapping[str, Any] = {}
    principal: Annotated[Mapping[str, Any] | None, PrincipalShape()] = None
    environment: str = "production"
    output: Annotated[str | None, "what the tool answers"] = None
    fails: Annotated[bool, "the tool raises, so the call does not count"] = False

    def check(self, problems: Problems) -> None:
        if self.fails and self.output is not None:
            problems.add("contradiction", "a call that fails has no `output`", self.where("output"))


class Case(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a case"

    name: Annotated[str, Text(min=1)]
    calls: Annotated[tuple[CaseCall, ...], Items(min=1), "one session; what is expected is expected of the last one"]
    expect: Literal["allow", "deny", "warn"]
    contract: Annotated[str | None, "the one that must deny or warn"] = None
    message: Annotated[str | None, Text(min=1), "a part of what it must say"] = None

    def check(self, problems: Problems) -> None:
        for key in ("contract", "message"):
            if self.expect == "allow" and key in self.at.entries:
                problems.add(
                    "contradiction",
                    f"`{key}` says who denies or warns, and the call is to be allowed",
                    self.where(key),
                )


class Cases(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a file of cases"

    cases: Annotated[tuple[Case, ...], Items(min=1, unique="name")]


class CaseHolds(msgspec.Struct, frozen=True, kw_only=True):
    """The check of one case."""

    item: Item
    policy: Policy
    expect: Literal["allow", "deny", "warn"]
    contract: str | None = None
    message: str | None = None

    def needs(self, evidence: Evidence | None, /) -> tuple[Need, ...]:
        return ()

    def judge(self, evidence: Evidence, /) -> Finding:
        decision, warnings = replay(self.policy, evidence.calls)
        last = (len(evidence.calls) - 1,)
        problem = self._problem(decision, warnings)
        if problem is None:
            return Finding(item=self.item, outcome=Outcome.passed, reason=_said(decision, warnings), about=last)
        code, reason = problem
        return Finding(item=self.item, outcome=Outcome.failed, score=0.0, code=code, reason=reason, about=last)

    def _problem(self, decision: Decision, warnings: tuple[Finding, ...]) -> tuple[str, str] | None:
        came_to = "deny" if not decision.allowed else "warn" if warnings else "allow"
        if came_to != self.expect:
            return f"not_{_DONE[self.expect]}", f"expected {_EXPECTED[self.expect]}, but {_said(decision, warnings)}"
        speaking = warnings if decision.allowed else _deciding(decision)
        named = [found for found in speaking if self.contract in (None, found.item.id)]
        if speaking and not named:
            return "wrong_contract", f"expected `{self.contract}`, but {_said(decision, warnings)}"
        if self.message is not None and not any(self.message in found.reason for found in named):
            return "wrong_message", f"expected a message with `{self.message}`, but {_said(decision, warnings)}"
        return None


_DONE = {"allow": "allowed", "deny": "denied", "warn": "warned"}
_EXPECTED = {"allow": "it to be allowed", "deny": "a denial", "warn": "a warning"}


def replay(policy: Policy, calls: Iterable[ToolCall]) -> tuple[Decision, tuple[Finding, ...]]:
    """The decision on the last call of a session, and the warnings about its answer."""
    ledger = MemoryLedger()
    decision = Decision(allowed=True)
    warnings: tuple[Finding, ...] = ()
    for call in calls:
        decision, warnings = decision_of(decide(policy, call, ledger=ledger)), ()
        if not decision.allowed:
            continue
        if call.answer is not None and call.answer.raised is not None:
            ledger.give_back([counter for counter, _ in wanted_calls(policy, call.tool)])
        else:
            warnings = tuple(found for found in after(policy, call) if found.action == "warn" and found.binding)
    return decision, warnings


def _deciding(decision: Decision) -> tuple[Finding, ...]:
    found = [found for found in decision.findings if found.action == "deny" and found.binding]
    return tuple(found[:1])


def _said(decision: Decision, warnings: tuple[Finding, ...]) -> str:
    if not decision.allowed:
        return f"it was denied by `{decision.name}`: {decision.reason}"
    if warnings:
        return "; ".join(f"`{found.item.id}` warned: {found.reason}" for found in warnings)
    return "it was allowed"


def read_cases(source: Source, policy: Policy, problems: Problems) -> Plan | None:
    """The plan that a file of cases makes for a policy, or None with everything that is wrong in `problems`."""
    before = len(problems.errors)
    found = read(Cases, source.root, problems)
    if found is None:
        return None
    effects = dict(_effects(policy))
    for case in found.cases:
        _check_contract(case, effects, problems)
    if len(problems.errors) > before:
        return None
    file = str(source.path)
    made = [_made(case, policy, file) for case in found.cases]
    root = Group(
        id=file,
        title=source.path.stem,
        kind="cases",
        where=found.at.span,
        fold=AllHold(),
        members=tuple(cell for _, cell in made),
    )
    return Plan(trials=tuple(trial for trial, _ in made), root=Group(id="run", fold=AllHold(), members=(root,)))


def _effects(policy: Policy) -> Iterator[tuple[str, str]]:
    for rule in (*policy.before.rules, *policy.after.rules):
        yield rule.item.id, rule.action
    for limit in policy.limits:
        yield limit.item.id, "deny"
    if policy.unmatched is not None:
        yield policy.unmatched.item.id, "deny"


def _check_contract(case: Case, effects: Mapping[str, str], problems: Problems) -> None:
    if case.contract is None:
        return
    effect = effects.get(case.contract)
    if effect is None:
        problems.add(
            "not-a-choice",
            f"`{case.contract}` is no contract that is enabled",
            _value_of(case, "contract"),
            hint=near(case.contract, effects),
        )
    elif effect != case.expect:
        problems.add(
            "contradiction",
            f"`{case.contract}` can only {effect}",
            _value_of(case, "contract"),
            hint=f"write `expect: {effect}`, or name another contract",
        )


def _value_of(case: Case, key: str) -> Span:
    node = case.at.get(key)
    return case.where(key) if node is None else node.span


def _made(case: Case, policy: Policy, file: str) -> tuple[Trial, Cell]:
    calls = tuple(_call(call) for call in case.calls)
    trial = Trial(id=f"{file}#{case.name}", subject=Recorded(evidence=Evidence(events=calls)))
    item = Item(id=case.name, kind="case", where=case.where("name"))
    check = CaseHolds(item=item, policy=policy, expect=case.expect, contract=case.contract, message=case.message)
    return trial, Cell(id=trial.id, check=check, trials=(trial.id,), fold=AllHold())


def _call(call: CaseCall) -> ToolCall:
    answer = Answer(raised=FAILED) if call.fails else None if call.output is None else Answer(text=call.output)
    return ToolCall(
        tool=call.tool, args=call.args, environment=call.environment, principal=call.principal, answer=answer
    )
