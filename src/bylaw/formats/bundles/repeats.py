"""Conditions that stand twice, and rules that an earlier one leaves nothing to decide."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import product
from math import prod
from typing import NamedTuple

from bylaw.formats.bundles.documents import Bundle, Post, Pre
from bylaw.language.expressions import Combined, Expression
from bylaw.language.spelling import alternatives, spell
from bylaw.policy.tables import EVERY_TOOL, is_glob
from bylaw.reader import Problems

Way = frozenset[str]
"""Comparisons that fire a rule together."""

MOST_WAYS = 64


class _Spelled(NamedTuple):
    contract: Pre | Post
    said: str
    ways: frozenset[Way]


def lint_repeats(conditions: Sequence[Pre | Post], bundle: Bundle, problems: Problems) -> None:
    """Each contract is told of the first one before it that makes it needless."""
    known: dict[str, list[tuple[Way, _Spelled]]] = {}
    for contract in conditions:
        _twice(contract.when, problems)
        later = _Spelled(contract, spell(contract.when), _ways(contract.when))
        for earlier in _candidates(later, known):
            if _repeated(earlier, later, bundle, problems):
                break
        for way in later.ways:
            rarest = min(sorted(way), key=lambda comparison: len(known.get(comparison, ())))
            known.setdefault(rarest, []).append((way, later))


def _candidates(later: _Spelled, known: dict[str, list[tuple[Way, _Spelled]]]) -> list[_Spelled]:
    """Who fires whenever some way of the later one holds, in file order.

    A way is kept under one of its comparisons alone, so few are looked at however much the contracts have in common.
    """
    way = next(iter(later.ways), frozenset())
    found = {
        id(spelled): spelled for comparison in way for asked, spelled in known.get(comparison, ()) if asked <= way
    }
    return sorted(found.values(), key=lambda spelled: spelled.contract.at.span.start)


def _twice(expression: Expression, problems: Problems) -> None:
    if not isinstance(expression, Combined):
        return
    seen: set[str] = set()
    for part in expression.parts:
        said = spell(part)
        if said in seen:
            problems.add(
                "same-condition",
                f"this stands twice under `{expression.how}`",
                part.where,
                hint="keep one",
                level="warning",
            )
        seen.add(said)
        _twice(part, problems)


def _repeated(first: _Spelled, second: _Spelled, bundle: Bundle, problems: Problems) -> bool:
    earlier, later = first.contract, second.contract
    if earlier.type != later.type:
        return False
    if earlier.targets == later.targets and first.said == second.said:
        problems.add(
            "same-condition",
            f"`{later.id}` has the same condition as `{earlier.id}` on line {earlier.at.span.line}",
            later.where("when"),
            hint="keep one",
            level="warning",
        )
        return True
    if _enforced(earlier, bundle) and earlier.type == "pre" and _covers(first, second):
        problems.add(
            "shadowed",
            f"`{later.id}` never decides: `{earlier.id}` on line {earlier.at.span.line} denies all it would deny",
            later.where("id"),
            hint="remove it, or put it before the other one",
            level="warning",
        )
        return True
    return False


def _enforced(contract: Pre | Post, bundle: Bundle) -> bool:
    return (contract.mode or bundle.defaults.mode) == "enforce"


def _covers(earlier: _Spelled, later: _Spelled) -> bool:
    """Whether every way to fire the later one also fires the earlier one, as far as the spelling shows it."""
    tools = earlier.contract.patterns
    if not all(_among(tool, tools) for tool in later.contract.patterns):
        return False
    return bool(later.ways) and all(any(asked <= way for asked in earlier.ways) for way in later.ways)


def _among(tool: str, tools: Sequence[str]) -> bool:
    return (
        EVERY_TOOL in tools or tool in tools or (not is_glob(tool) and any(fnmatchcase(tool, glob) for glob in tools))
    )


def _ways(expression: Expression) -> frozenset[Way]:
    """The alternatives of a condition, each as what it asks for together; very many count as one."""
    if isinstance(expression, Combined) and expression.how == "any":
        return frozenset(way for part in expression.parts for way in _ways(part))
    if isinstance(expression, Combined) and expression.how == "all":
        parts = [_ways(part) for part in expression.parts]
        if prod(map(len, parts)) <= MOST_WAYS:
            return frozenset(frozenset().union(*chosen) for chosen in product(*parts))
    return frozenset(frozenset({way}) for way in alternatives(expression))
