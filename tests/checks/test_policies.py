"""A policy over recorded calls says what the guard would have said."""

from __future__ import annotations

from typing import Any

import pytest

from bylaw.checks import PolicyHolds
from bylaw.checks.policies import RuleFires
from bylaw.evidence import Answer, Effect, Evidence, ModelCall, ToolCall
from bylaw.language.templates import compile_template
from bylaw.policy import Limit, Policy, Rule, make_limit, make_policy, make_rule
from bylaw.policy.rules import CALLS
from bylaw.verdict import Item

from .judging import called, judged


def rule(name: str, tool: str, *, binding: bool = True, action: Any = "deny", breaks: bool = False) -> Rule:
    """Denies every call of a tool, or breaks on it."""

    def condition(call: ToolCall) -> bool:
        return bool(1 // 0) if breaks else True

    item = Item(id=name, kind="pre", binding=binding)
    message = compile_template("no {tool.name}")
    return make_rule(item=item, tools=(tool,), condition=condition, message=message, action=action)


def most(count: int, *, binding: bool = True) -> Limit:
    item = Item(id="limit", kind="session", binding=binding)
    return make_limit(item=item, counter=CALLS, most=count, message=compile_template("enough"))


def holds(*rules: Rule, limits: tuple[Limit, ...] = (), after: tuple[Rule, ...] = ()) -> PolicyHolds:
    policy: Policy = make_policy(version="v", before=rules, after=after, limits=limits)
    return PolicyHolds(policy=policy)


def test_it_passes_where_nothing_would_have_been_denied() -> None:
    found = judged(holds(rule("no-rm", "rm")), called("ls", "cat"))
    assert (found.outcome, found.reason, found.details) == ("passed", "the policy allows all 2 calls", {})


def test_without_a_call_it_says_so() -> None:
    found = judged(holds(rule("no-rm", "rm")), Evidence(events=(ModelCall(request={}),)))
    assert (found.outcome, found.reason) == ("passed", "no tool was called")


def test_the_first_denied_call_is_named() -> None:
    events = (ModelCall(request={}), ToolCall(tool="ls"), Effect(kind="log", detail={}), ToolCall(tool="rm"))
    found = judged(holds(rule("no-rm", "rm"), rule("no-more", "rm")), Evidence(events=events))
    assert (found.outcome, found.code, found.about) == ("failed", "denied", (3,))
    assert found.reason == "`rm` would have been denied by `no-rm`: no rm"
    assert "contract" in found.details


def test_what_only_observes_is_told_and_does_not_bind() -> None:
    found = judged(holds(rule("draft", "rm", binding=False)), called("ls", "rm", "rm"))
    assert (found.outcome, found.details) == ("passed", {"observed": ["draft: no rm", "draft: no rm"]})


def test_a_rule_that_breaks_denies() -> None:
    found = judged(holds(rule("odd", "rm", breaks=True)), called("rm"))
    assert (found.outcome, found.code) == ("failed", "policy_error")


def test_postconditions_deny_nothing() -> None:
    assert judged(holds(after=(rule("late", "rm", action="warn"),)), called("rm")).outcome == "passed"


def test_limits_are_counted_over_the_trial_and_anew_for_the_next() -> None:
    check = holds(limits=(most(2),))
    for _ in range(2):
        assert judged(check, called("a", "b")).outcome == "passed"
        found = judged(check, called("a", "b", "c"))
        assert (found.code, found.about) == ("limit", (2,))


def test_a_call_that_failed_gives_its_place_back_as_it_does_live() -> None:
    failed = ToolCall(tool="a", answer=Answer(raised="ConnectionError"))
    done = ToolCall(tool="a", answer=Answer(text="done"))
    check = holds(limits=(most(2),))
    assert judged(check, called(failed, done, failed, done)).outcome == "passed"
    assert judged(check, called(failed, done, done, done)).about == (3,)


def test_an_observed_limit_does_not_bind() -> None:
    found = judged(holds(limits=(most(1, binding=False),)), called("a", "b"))
    assert (found.outcome, found.details) == ("passed", {"observed": ["limit: enough"]})


@pytest.mark.parametrize(
    ("tool", "wanted", "outcome", "code"),
    [
        ("deny", True, "passed", ""),
        ("pass", False, "passed", ""),
        ("deny", False, "failed", "fires"),
        ("pass", True, "failed", "does_not_fire"),
    ],
)
@pytest.mark.parametrize(("action", "verb"), [("deny", "denies"), ("warn", "warns of")])
def test_an_example_shows_what_a_rule_does(
    tool: str, wanted: bool, outcome: str, code: str, action: Any, verb: str
) -> None:
    def condition(call: ToolCall) -> bool:
        return call.tool == "deny"

    item = Item(id="r", kind="pre")
    made = make_rule(item=item, tools=("*",), condition=condition, message=compile_template("said"), action=action)
    found = judged(RuleFires(rule=made, wanted=wanted), called(tool))
    assert (found.outcome, found.code) == (outcome, code)
    if code:
        assert f"`r` {verb}" in found.reason
