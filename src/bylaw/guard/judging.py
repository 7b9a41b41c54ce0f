"""What a policy's rules say of a call, whatever the values in it do when they are looked at."""

from __future__ import annotations

from collections.abc import Iterable

from bylaw.evidence import ToolCall
from bylaw.guard.asking import broke
from bylaw.guard.shown import said_by
from bylaw.policy import Policy, Rule, after, before, judge_rule
from bylaw.policy.deciding import judge_rules
from bylaw.policy.tables import RuleSet
from bylaw.verdict import Finding

Judgement = tuple[tuple[Finding, ...], int]
"""Findings in file order, and how many of rules that passed are left out."""


def judge_before(policy: Policy, call: ToolCall, rules: RuleSet) -> Judgement:
    """`rules` are those of the policy for the call's tool."""
    try:
        findings = judge_rules(rules, call) if policy.unmatched is None else before(policy, call)
    except Exception:  # noqa: BLE001 an argument that raises when it is looked at: each rule is then asked by itself
        return _one_by_one(rules.rules + _for_unmatched(policy, call), call), 0
    if not rules.omitted:
        return findings, 0
    unmatched = policy.unmatched is not None and bool(findings) and findings[-1].item is policy.unmatched.item
    return findings, rules.omitted - len(findings) + unmatched


def judge_after(policy: Policy, call: ToolCall) -> Judgement:
    rules = policy.after.of(call.tool)
    try:
        findings = after(policy, call)
    except Exception:  # noqa: BLE001 an answer or argument that raises when it is looked at, as above
        return _one_by_one(rules.rules, call), 0
    return findings, rules.omitted - len(findings) if rules.omitted else 0


def _for_unmatched(policy: Policy, call: ToolCall) -> tuple[Rule, ...]:
    named = policy.before.names(call.tool) or policy.after.names(call.tool)
    return () if policy.unmatched is None or named else (policy.unmatched,)


def _one_by_one(rules: Iterable[Rule], call: ToolCall) -> tuple[Finding, ...]:
    return tuple(judge_by_itself(rule, call) for rule in rules)


def judge_by_itself(rule: Rule, call: ToolCall) -> Finding:
    try:
        return judge_rule(rule, call)
    except Exception as error:  # noqa: BLE001 a rule that can't even say what broke it counts as firing
        return broke(rule.item, f"the rule could not be evaluated: {said_by(error)}", action=rule.action)
