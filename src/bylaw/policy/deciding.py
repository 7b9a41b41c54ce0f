"""Session limits on attempts, then preconditions, then session limits on calls; after the tool, postconditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bylaw.evidence import ToolCall
from bylaw.policy.ledger import Ledger, Taken
from bylaw.policy.rules import ATTEMPTS, CALLS, Limit, Policy, Rule, calls_of
from bylaw.policy.tables import RuleSet
from bylaw.verdict import Finding, Outcome

FAILED = Outcome.failed
"""Looked up once: a member of an enumeration takes longer to find than to use."""


def decide(policy: Policy, call: ToolCall, /, *, ledger: Ledger) -> tuple[Finding, ...]:
    """Every finding about a call, in the order in which they count; places are taken only for a call that may run."""
    findings = list(_take(policy, call, wanted_attempts(policy), ledger))
    if not _denied(findings):
        findings += before(policy, call)
        if not _denied(findings):
            findings += _take(policy, call, wanted_calls(policy, call.tool), ledger)
    return tuple(findings)


def before(policy: Policy, call: ToolCall, /) -> tuple[Finding, ...]:
    """What the preconditions say of a call, in file order."""
    if policy.unmatched is not None and not (policy.before.names(call.tool) or policy.after.names(call.tool)):
        return (*judge_rules(policy.before.of(call.tool), call), judge_rule(policy.unmatched, call))
    return judge_rules(policy.before.of(call.tool), call)


def after(policy: Policy, call: ToolCall, /) -> tuple[Finding, ...]:
    """What the postconditions say of a call that has its answer, in file order."""
    return judge_rules(policy.after.of(call.tool), call)


def judge_rules(rules: RuleSet, call: ToolCall) -> tuple[Finding, ...]:
    """The same findings as judging one rule after another, without looking at those that can't matter."""
    if call.malformed is not None:
        return tuple([judge_rule(rule, call) for rule in rules.rules])
    numbers: Sequence[int] = rules.everyone
    if rules.sieve is not None:
        numbers = rules.sieve.candidates(call)
        if not numbers:
            return rules.passes
    only = rules.only
    if only is not None:
        try:
            return (_fired(only, call),) if only.condition(call) else rules.passes
        except Exception as error:  # noqa: BLE001 a rule's evaluation may raise anything, and the rule then counts as firing
            return (_broke(only, error),)
    findings: list[Finding] | None = None
    all_rules, lists_passes = rules.rules, not rules.omitted
    for number in numbers:
        rule = all_rules[number]
        try:
            if not rule.condition(call):
                continue
            finding = _fired(rule, call)
        except Exception as error:  # noqa: BLE001 as above
            finding = _broke(rule, error)
        if findings is None:
            findings = list(rules.passes)
        if lists_passes:
            findings[number] = finding
        else:
            findings.append(finding)
    return rules.passes if findings is None else tuple(findings)


def wanted_attempts(policy: Policy, /) -> tuple[tuple[str, int | None], ...]:
    """What evaluating a call takes, if anything limits it: each counter with the limit that holds it."""
    return _wanted(policy, (ATTEMPTS,))


def wanted_calls(policy: Policy, tool: str, /) -> tuple[tuple[str, int | None], ...]:
    """What running a tool takes, if anything limits it: each counter with the limit that holds it."""
    return _wanted(policy, (CALLS, calls_of(tool)))


def limit_findings(
    policy: Policy, call: ToolCall, /, *, wanted: Sequence[tuple[str, int | None]], taken: Taken
) -> tuple[Finding, ...]:
    """What the limits on the wanted counters say to what taking them came to."""
    refused = taken.full is not None
    found: dict[int, Finding] = {}
    for (counter, _), count in zip(wanted, taken.counts, strict=True):
        bound = policy.bounds.get(counter)
        if bound is not None:
            for number, limit in bound.limits:
                found[number] = _limit_finding(limit, call, count, refused=refused)
    return tuple(found.values()) if len(found) < 2 else tuple([found[number] for number in sorted(found)])


def judge_rule(rule: Rule, call: ToolCall) -> Finding:
    """One rule on one call. A rule that breaks counts as one that fires, and says so."""
    if call.malformed is not None:
        return _broke(rule, "the arguments are not a JSON object")
    try:
        fires = rule.condition(call)
    except Exception as error:  # noqa: BLE001 a rule's evaluation may raise anything, and the rule then counts as firing
        return _broke(rule, error)
    return _fired(rule, call) if fires else rule.passed


def _fired(rule: Rule, call: ToolCall) -> Finding:
    action = rule.action
    return Finding(
        item=rule.item,
        outcome=FAILED,
        score=0.0,
        code="denied" if action == "deny" else "warned",
        reason=rule.message(call),
        action=action,
    )


def _broke(rule: Rule, error: object) -> Finding:
    return Finding(
        item=rule.item,
        outcome=Outcome.error,
        score=0.0,
        code="policy_error",
        reason=f"the rule could not be evaluated: {error}",
        action=rule.action,
    )


def _denied(findings: Iterable[Finding]) -> bool:
    return any(finding.action == "deny" and finding.binding for finding in findings)


def _take(
    policy: Policy, call: ToolCall, wanted: Sequence[tuple[str, int | None]], ledger: Ledger
) -> tuple[Finding, ...]:
    if not wanted:
        return ()
    return limit_findings(policy, call, wanted=wanted, taken=ledger.take(wanted))


def _wanted(policy: Policy, counters: Sequence[str]) -> tuple[tuple[str, int | None], ...]:
    """Held to the smallest enforced limit; what only observes never holds it."""
    bounds = [policy.bounds.get(counter) for counter in counters]
    if not any(bounds):
        return ()
    return tuple(
        [(counter, None if bound is None else bound.most) for counter, bound in zip(counters, bounds, strict=True)]
    )


def _limit_finding(limit: Limit, call: ToolCall, count: int, *, refused: bool) -> Finding:
    over = count >= limit.most if refused else count > limit.most
    if not over:
        return limit.passed
    return Finding(
        item=limit.item, outcome=Outcome.failed, score=0.0, code="limit", reason=limit.message(call), action="deny"
    )
