"""The order in which a policy decides, and what becomes of a rule that breaks."""

from __future__ import annotations

import pytest

from bylaw.evidence import ToolCall
from bylaw.policy import MemoryLedger, Policy, Rule, after, decide
from bylaw.scoring import FirstDenial

from .rules import brief, call, limit, policy, rule

X = "{args.x: {equals: x}}"
Y = "{args.x: {equals: y}}"


def decided(of: Policy, asked: ToolCall) -> list[str]:
    return brief(decide(of, asked, ledger=MemoryLedger()))


@pytest.mark.parametrize(
    ("rules", "findings", "word", "reason"),
    [
        ([rule("a", Y), rule("b", Y)], ["a", "b"], "allow", ""),
        ([rule("a", Y), rule("b", X), rule("c", X)], ["a", "b denied", "c denied"], "deny", "b"),
        ([rule("a", X, binding=False), rule("b", X)], ["(a) denied", "b denied"], "deny", "b"),
        ([rule("a", X), rule("b", X, binding=False)], ["a denied", "(b) denied"], "deny", "a"),
        ([rule("a", X, binding=False)], ["(a) denied"], "allow", ""),
        ([], [], "allow", ""),
    ],
)
def test_every_rule_is_judged_and_the_first_enforced_denial_decides(
    rules: list[Rule], findings: list[str], word: str, reason: str
) -> None:
    found = decide(policy(*rules), call(x="x"), ledger=MemoryLedger())
    assert brief(found) == findings
    verdict = FirstDenial()(found)
    assert verdict.word == word
    assert [one.item.id for one in verdict.because] == ([reason] if reason else [])


def test_a_denial_says_its_message_with_the_call_filled_in() -> None:
    (found,) = decide(
        policy(rule("a", X, message="not {args.x} in {environment}")), call(x="x"), ledger=MemoryLedger()
    )
    assert (found.reason, found.action, found.score) == ("not x in production", "deny", 0.0)


def raises(_: ToolCall) -> bool:
    raise LookupError("gone")


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ("{args.n: {contains: x}}", "`contains` has no meaning for `args.n`, which is a number"),
        ("{all: [{args.x: {equals: x}}, {args.x: {gt: 1}}]}", "`gt` has no meaning for `args.x`, which is text"),
        (r"{args.long: {matches: '(a+)+\1$'}}", "can't be judged on a text of 100000 characters"),
    ],
)
def test_a_rule_that_breaks_denies_and_the_others_are_still_judged(when: str, reason: str) -> None:
    asked = call(x="x", n=1, long="a" * 100_000)
    found = decide(policy(rule("a", when), rule("b", X)), asked, ledger=MemoryLedger())
    assert brief(found) == ["a policy_error", "b denied"]
    broke = found[0]
    assert (broke.outcome, broke.action) == ("error", "deny")
    assert broke.reason.startswith("the rule could not be evaluated: ")
    assert broke.reason.endswith(reason)
    assert FirstDenial()(found).because == (broke,)


def test_whatever_a_condition_raises_is_an_error_of_its_rule() -> None:
    assert decided(policy(rule("a", raises), rule("b", Y)), call()) == ["a policy_error", "b"]


def test_an_observed_rule_that_breaks_denies_nothing() -> None:
    found = decide(policy(rule("a", raises, binding=False)), call(), ledger=MemoryLedger())
    assert brief(found) == ["(a) policy_error"]
    assert FirstDenial()(found).word == "allow"


def test_arguments_that_could_not_be_read_break_every_rule() -> None:
    asked = ToolCall(tool="t", malformed="{")
    assert decided(policy(rule("a", Y), rule("b", "{tool.name: {equals: other}}")), asked) == [
        "a policy_error",
        "b policy_error",
    ]


def test_attempts_come_before_rules_and_calls_after_them() -> None:
    limits = (limit("calls", "calls", 1), limit("attempts", "attempts", 3))
    of, ledger = policy(rule("a", X), limits=limits), MemoryLedger()
    told = [brief(decide(of, call(x=x), ledger=ledger)) for x in ("x", "ok", "ok", "ok")]
    assert told == [
        ["attempts", "a denied"],
        ["attempts", "a", "calls"],
        ["attempts", "a", "calls limit"],
        ["attempts limit"],
    ]


def test_after_the_tool_the_postconditions_warn() -> None:
    secret = rule("s", "{output.text: {contains: secret}}", action="warn", message="leaks {tool.name}")
    of = policy(rule("a", X), after=(secret, rule("p", "{output.text: {gt: 1}}", action="warn")))
    (first, second) = after(of, call("read", answer="a secret"))
    assert (first.outcome, first.code, first.action, first.reason) == ("failed", "warned", "warn", "leaks read")
    assert (second.outcome, second.code, second.action) == ("error", "policy_error", "warn")
    assert FirstDenial()((first,)).word == "allow"
    assert brief(after(of, call("read"))) == ["s", "p"]
    assert after(policy(rule("a", X)), call(answer="x")) == ()
