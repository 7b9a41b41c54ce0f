"""Conditions in one spelling each, so that two of them can be compared without looking at where they stand."""

from __future__ import annotations

from bylaw.language.expressions import Combined, Expression, Leaf
from bylaw.language.regex import Pattern

_SINGLE = {"contains_any": "contains", "matches_any": "matches", "in": "equals"}


def spell(expression: Expression) -> str:
    """The same text for conditions that say the same in the same order."""
    if isinstance(expression, Leaf):
        return f"{expression.selector} {expression.operator} {spell_operand(expression.operand)}"
    return f"{expression.how}({', '.join(spell(part) for part in expression.parts)})"


def spell_operand(value: object) -> str:
    """As one would write it in YAML."""
    match value:
        case tuple():
            return f"[{', '.join(map(spell_operand, value))}]"
        case Pattern():
            return spell_operand(value.source)
        case bool():
            return str(value).lower()
        case str():
            return "'" + value.replace("'", "''") + "'"
        case _:
            return repr(value)


def alternatives(expression: Expression) -> tuple[str, ...]:
    """The ways in which a condition can hold, as far as it lists them: each of `any`, each of a list of words."""
    if isinstance(expression, Combined) and expression.how == "any":
        return tuple(dict.fromkeys(way for part in expression.parts for way in alternatives(part)))
    if isinstance(expression, Leaf) and expression.operator in _SINGLE:
        single = _SINGLE[expression.operator]
        return tuple(f"{expression.selector} {single} {spell_operand(value)}" for value in expression.operand)
    return (spell(expression),)
