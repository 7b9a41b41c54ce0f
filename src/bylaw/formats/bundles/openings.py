"""Tools that a bundle opens by naming them: where unnamed tools are refused, a contract on one lets it run."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from bylaw.formats.bundles.composing import Composed, Placed
from bylaw.formats.bundles.documents import Condition, Contract, Session
from bylaw.policy.tables import EVERY_TOOL, is_glob


def opened(placed: Placed, others: Composed) -> tuple[str, ...]:
    """The tools that a contract names and none of the others does, as they are written."""
    known = {pattern for other in others.contracts for _, pattern in _named(other)}
    return tuple(written for written, pattern in _named(placed) if not _among(pattern, known))


def all_named(contract: Contract) -> tuple[str, ...] | None:
    """The tools that a contract is about, where it is about nothing else."""
    if isinstance(contract, Condition):
        return None if EVERY_TOOL in contract.targets else contract.targets
    if not isinstance(contract, Session):
        return None
    limits = contract.limits
    of_all = limits.max_attempts is not None or limits.max_tool_calls is not None
    return None if of_all else tuple(limits.max_calls_per_tool)


def refuses_unnamed(old: Composed, new: Composed) -> bool:
    """Whether it is refused on both sides; where that itself has changed, the default says so."""
    return old.unmatched == new.unmatched == "enforce"


def _named(placed: Placed) -> Iterator[tuple[str, str]]:
    """Each tool as it is written and as a pattern. Whoever is for every tool names none; one that observes does."""
    contract = placed.contract
    if not contract.enabled:
        return
    if isinstance(contract, Session):
        yield from ((tool, tool) for tool in contract.limits.max_calls_per_tool)
    elif EVERY_TOOL not in contract.targets:
        yield from zip(contract.targets, contract.patterns, strict=True)


def _among(pattern: str, known: set[str]) -> bool:
    return pattern in known or (not is_glob(pattern) and any(fnmatchcase(pattern, glob) for glob in known))
