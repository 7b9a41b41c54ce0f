"""Bundles of contracts on tool calls: what they say, the policy they make, and what is likely wrong with them."""

from bylaw.formats.bundles.compiling import compile_bundle, load_policy, read_bundle, read_policy, rule_of
from bylaw.formats.bundles.composing import Composed, Placed, compose
from bylaw.formats.bundles.documents import Bundle, Condition, Contract, Post, Pre, Session

__all__ = [
    "Bundle",
    "Composed",
    "Condition",
    "Contract",
    "Placed",
    "Post",
    "Pre",
    "Session",
    "compile_bundle",
    "compose",
    "load_policy",
    "read_bundle",
    "read_policy",
    "rule_of",
]
