"""Session limits on attempts, then preconditions, then session limits on calls; after the tool, postconditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bylaw.evidence import ToolCall
from bylaw.policy.ledger import Ledger, Taken
from bylaw.policy.rules import ATTEMPTS, CALLS, Limit, Policy, Rule, calls_of
from bylaw.policy.tables import RuleSet
from bylaw.verdict import Finding, Outcome


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
    fired: dict[int, Finding] | None = None
    all_rules = rules.rules
    for number in rules.everyone if call.malformed is not None else rules.candidates(call):
        rule = all_rules[number]
        finding = judge_rule(rule, call)
        if finding is not rule.passed:
            fired = fired or {}
            fired[number] = finding
    return rules.passes if fired is None else rules.listed(fired)


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
    counts = {counter: count for (counter, _), count in zip(wanted, taken.counts, strict=True)}
    refused = taken.full is not None
    return tuple(
        _limit_finding(limit, call, counts[limit.counter], refused=refused)
        for limit in policy.limits
        if limit.counter in counts
    )


def judge_rule(rule: Rule, call: ToolCall) -> Finding:
    """One rule on one call. A rule that breaks counts as one that fires, and says so."""
    if call.malformed is not None:
        return _broke(rule, "the arguments are not a JSON object")
    try:
        fires = rule.condition(call)
    except Exception as error:  # noqa: BLE001 a rule's evaluation may raise anything, and the rule then counts as firing
        return _broke(rule, error)
    if not fires:
        return rule.passed
    return Finding(
        item=rule.item,
        outcome=Outcome.failed,
        score=0.0,
        code="denied" if rule.action == "deny" else "warned",
        reason=rule.message(call),
        action=rule.action,
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
    limits = [limit for limit in policy.limits if limit.counter in counters]
    return tuple((counter, _smallest(limits, counter)) for counter in counters) if limits else ()


def _smallest(limits: Sequence[Limit], counter: str) -> int | None:
    return min((limit.most for limit in limits if limit.counter == counter and limit.item.binding), default=None)


def _limit_finding(limit: Limit, call: ToolCall, count: int, *, refused: bool) -> Finding:
    over = count >= limit.most if refused else count > limit.most
    if not over:
        return limit.passed
    return Finding(
        item=limit.item, outcome=Outcome.failed, score=0.0, code="limit", reason=limit.message(call), action="deny"
    )
