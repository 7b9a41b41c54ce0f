"""What the caller gets of a tool's answer."""

from __future__ import annotations

from typing import Any

from bylaw.evidence import ToolCall
from bylaw.language.expressions import Combined, Expression
from bylaw.language.regex import Pattern
from bylaw.policy import Policy
from bylaw.policy.rules import Rule
from bylaw.verdict import Finding

WITHHELD = "[withheld: {message}]"


def answer_text(result: Any) -> str | None:
    """What `output.text` sees; a tool that gave nothing has no output."""
    if result is None:
        return None
    if isinstance(result, str):
        return result
    try:
        return str(result)
    except Exception as error:  # noqa: BLE001 a result's own __str__ may raise anything; rules then see that it did
        return f"<{type(result).__name__} that can't be shown: {type(error).__name__}>"


def given_to_caller(result: Any, call: ToolCall, warnings: tuple[Finding, ...], policy: Policy, mark: str) -> Any:
    """The result, or its text with what was found taken out, or only a message, as the rules that fired ask."""
    fired = {found.item.id for found in warnings}
    asked = [rule for rule in policy.after.of(call.tool).rules if rule.output and rule.item.id in fired]
    if not asked:
        return result
    withheld = next((rule for rule in asked if rule.output == "withhold"), None)
    if withheld is not None:
        return WITHHELD.format(message=withheld.message(call))
    text = call.answer.text if call.answer is not None and call.answer.text is not None else ""
    for rule in asked:
        text = _without(text, rule, mark)
    return text


def _without(text: str, rule: Rule, mark: str) -> str:
    """A rule whose finds can't be pointed at gives nothing away: all of the text is taken out."""
    parts = list(_finds(rule.when)) if rule.when is not None else []
    before = text
    for part in parts:
        text = part.replace(text, mark) if isinstance(part, Pattern) else text.replace(part, mark)
    return mark if text == before else text


def _finds(expression: Expression) -> list[Pattern | str]:
    """The patterns and words that a condition looks for in the answer."""
    if isinstance(expression, Combined):
        return [] if expression.how == "not" else [find for part in expression.parts for find in _finds(part)]
    if expression.selector != "output.text":
        return []
    match expression.operator:
        case "matches" | "contains":
            return [expression.operand]
        case "matches_any" | "contains_any":
            return list(expression.operand)
        case _:
            return []
