"""What the caller gets of a tool's answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from bylaw.evidence import Answer, ToolCall
from bylaw.guard.judging import judge_by_itself
from bylaw.guard.shown import kind_of, shown
from bylaw.language.expressions import Combined, Expression
from bylaw.language.regex import Pattern
from bylaw.language.selectors import without_view
from bylaw.policy import Policy, Rule
from bylaw.verdict import Finding
from bylaw.verdict import Outcome as Concluded

OUTPUT = "output.text"


class Shown(msgspec.Struct, frozen=True):
    """An answer as text; `why_not` says what kept it from being made."""

    text: str | None
    why_not: str = ""


class Given(msgspec.Struct, frozen=True):
    """What the caller gets, and what was found, told without what the caller does not get."""

    result: Any
    findings: tuple[Finding, ...]


def answer_of(result: Any) -> Shown:
    """What `output.text` sees; a tool that gave nothing has no output."""
    if result is None:
        return Shown(None)
    if type(result) is str:
        return Shown(result)
    try:
        return Shown(str.__str__(str(result)))
    except Exception as error:  # noqa: BLE001 a result's own __str__ may raise anything; rules on it then count as broken
        return Shown(shown(result), f"the answer can't be made text: {kind_of(error)}")


def looks_at_output(expression: Expression | None) -> bool:
    if expression is None:
        return False
    if isinstance(expression, Combined):
        return any(looks_at_output(part) for part in expression.parts)
    return without_view(expression.selector) == OUTPUT


def given_to_caller(result: Any, call: ToolCall, findings: tuple[Finding, ...], policy: Policy, mark: str) -> Given:
    """The result, or its text with what was found taken out, or only a message, as the rules that fired ask."""
    fired = {id(found.item): found for found in findings if found.action == "warn" and found.binding}
    asked = [rule for rule in policy.after.of(call.tool).rules if rule.output and id(rule.item) in fired]
    if not asked:
        return Given(result, findings)
    withheld = next((rule for rule in asked if rule.output == "withhold"), None)
    if withheld is not None:
        told = _told(findings, msgspec.structs.replace(call, answer=None), policy)
        reason = next(found.reason for found in told if found.item is withheld.item)
        return Given(f"[withheld: {reason}]", told)
    if call.answer is None or call.answer.text is None:
        return Given(result, findings)
    hole = _hole_for(call.answer.text, mark)
    for rule in asked:
        broken = hole == mark or fired[id(rule.item)].outcome is Concluded.error
        call = _with_text(call, hole if broken else _without(call, rule, hole))
    text = _text_of(call).replace(hole, mark)
    return Given(text, _told(findings, _with_text(call, text), policy))


def _hole_for(text: str, mark: str) -> str:
    """A character that the text has not: it stands where something was, until all rules have looked at what is left.

    A text that has them all has to go as a whole.
    """
    return next((hole for hole in map(chr, range(0xE000, 0xF900)) if hole not in text), mark)


def _text_of(call: ToolCall) -> str:
    assert call.answer is not None, "without an answer nothing is taken out"
    assert call.answer.text is not None, "as above"
    return call.answer.text


def _with_text(call: ToolCall, text: str) -> ToolCall:
    return msgspec.structs.replace(call, answer=Answer(text=text))


def _told(findings: tuple[Finding, ...], call: ToolCall, policy: Policy) -> tuple[Finding, ...]:
    """Messages filled in anew: one may show the answer, and then shows what is left of it."""
    rules = {id(rule.item): rule for rule in policy.after.of(call.tool).rules}

    def told(found: Finding) -> Finding:
        rule = rules.get(id(found.item))
        if rule is None or found.outcome is not Concluded.failed:
            return found
        return msgspec.structs.replace(found, reason=rule.message(call))

    return tuple(told(found) for found in findings)


def _without(call: ToolCall, rule: Rule, hole: str) -> str:
    """A rule that still fires on what is left can't point at its finds: all of the text is taken out."""
    text = _text_of(call)
    for part in () if rule.when is None else _finds(rule.when):
        text = part.replace(text, hole) if isinstance(part, Pattern) else text.replace(part, hole)
    return text if judge_by_itself(rule, _with_text(call, text)) is rule.passed else hole


def _finds(expression: Expression) -> Iterator[Pattern | str]:
    """The patterns and words that a condition looks for in the answer."""
    if isinstance(expression, Combined):
        for part in () if expression.how == "not" else expression.parts:
            yield from _finds(part)
    elif expression.selector == OUTPUT:
        match expression.operator:
            case "matches" | "contains":
                yield expression.operand
            case "matches_any" | "contains_any":
                yield from expression.operand
