"""Whether a change to a field of a contract makes it fire on more calls or on fewer, where the spelling shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from bylaw.formats.bundles.documents import Limits
from bylaw.language.expressions import Combined, Expression, Leaf
from bylaw.language.spelling import alternatives, spell, spell_operand
from bylaw.policy.tables import EVERY_TOOL

Direction = Literal["loosened", "tightened", "changed"]
_OUTPUT = (None, "redact", "withhold")
_ENDLESS = float("inf")


def condition_direction(old: Expression, new: Expression) -> Direction:
    """More alternatives fire more often, more conjuncts less often; a threshold or list speaks for itself."""
    by_alternatives = _by_sets(frozenset(alternatives(old)), frozenset(alternatives(new)))
    if by_alternatives is not None:
        return by_alternatives
    if isinstance(old, Leaf) and isinstance(new, Leaf):
        return _leaf_direction(old, new)
    if isinstance(old, Combined) and isinstance(new, Combined) and old.how == new.how != "not":
        return _parts_direction(old, new)
    return "changed"


def _parts_direction(old: Combined, new: Combined) -> Direction:
    before, after = [spell(part) for part in old.parts], [spell(part) for part in new.parts]
    if old.how == "all" and len(before) != len(after):
        # One put in front could break where the rest was never reached, so only what comes behind is evident.
        if after[: len(before)] == before:
            return "loosened"
        return "tightened" if before[: len(after)] == after else "changed"
    differing = [(was, now) for was, now in zip(old.parts, new.parts, strict=False) if spell(was) != spell(now)]
    if len(before) != len(after) or len(differing) != 1:
        return "changed"
    ((was, now),) = differing
    return _leaf_direction(was, now) if isinstance(was, Leaf) and isinstance(now, Leaf) else "changed"


def _leaf_direction(old: Leaf, new: Leaf) -> Direction:
    if (old.selector, old.operator) != (new.selector, new.operator):
        return "changed"
    match new.operator:
        case "gt" | "gte" if new.operand != old.operand:
            return "loosened" if new.operand > old.operand else "tightened"
        case "lt" | "lte" if new.operand != old.operand:
            return "tightened" if new.operand > old.operand else "loosened"
        case "in" | "contains_any" | "matches_any":
            return _by_sets(_words(old), _words(new)) or "changed"
        case "not_in":
            return _by_sets(_words(new), _words(old)) or "changed"
        case _:
            return "changed"


def _words(leaf: Leaf) -> frozenset[str]:
    return frozenset(map(spell_operand, leaf.operand))


def _by_sets(old: frozenset[str], new: frozenset[str]) -> Direction | None:
    if old < new:
        return "tightened"
    return "loosened" if new < old else None


def targets_direction(old: tuple[str, ...], new: tuple[str, ...]) -> Direction:
    if EVERY_TOOL in new or EVERY_TOOL in old:
        return "tightened" if EVERY_TOOL in new else "loosened"
    return _by_sets(frozenset(old), frozenset(new)) or "changed"


def limits_direction(old: Limits, new: Limits) -> Direction:
    """A limit that is not there is endless."""
    before, after = _bounds(old), _bounds(new)
    found: set[Direction] = set()
    for name in {*before, *after}:
        was, now = before.get(name, _ENDLESS), after.get(name, _ENDLESS)
        if was != now:
            found.add("loosened" if now > was else "tightened")
    return found.pop() if len(found) == 1 else "changed"


def _bounds(limits: Limits) -> Mapping[str, float]:
    """By counter; a tool may be called like the counter of all tools."""
    of_all = {"attempts": limits.max_attempts, "calls": limits.max_tool_calls}
    return {
        **{f"tool {tool}": most for tool, most in limits.max_calls_per_tool.items()},
        **{name: most for name, most in of_all.items() if most is not None},
    }


def output_direction(old: str | None, new: str | None) -> Direction:
    return "tightened" if _OUTPUT.index(new) > _OUTPUT.index(old) else "loosened"
