"""Deciding a tool call: the only place where a policy is decided. Pure but for the ledger of session counters."""

from bylaw.policy.deciding import after, before, decide, judge_rule
from bylaw.policy.ledger import Ledger, MemoryLedger, Taken
from bylaw.policy.rules import Limit, Policy, Rule, make_limit, make_policy, make_rule

__all__ = [
    "Ledger",
    "Limit",
    "MemoryLedger",
    "Policy",
    "Rule",
    "Taken",
    "after",
    "before",
    "decide",
    "judge_rule",
    "make_limit",
    "make_policy",
    "make_rule",
]
