"""A call that makes a condition true: proof that a rule can fire at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from typing import Any

from bylaw.evidence import Answer, ToolCall
from bylaw.language.expressions import Expression, Leaf, compile_expression
from bylaw.language.selectors import without_view

_MOST_TRIES = 64
Fields = Mapping[str, Any]
"""Values by selector; what is not named is absent."""


def witness(expression: Expression, *, tool: str) -> ToolCall | None:
    """A call on which the condition holds, or None where none was found; each guess is tried before it is given."""
    holds = compile_expression(expression)
    for fields in islice(_true(expression), _MOST_TRIES):
        call = _call(fields, tool)
        if call is not None and _safely(holds, call):
            return call
    return None


def _safely(holds: Callable[[ToolCall], bool], call: ToolCall) -> bool:
    try:
        return holds(call)
    except Exception:  # noqa: BLE001 a guess on which the rule breaks is no witness, whatever it raises
        return False


def _true(expression: Expression) -> Iterator[Fields]:
    """Guesses at fields that make an expression true."""
    if isinstance(expression, Leaf):
        for value in _values(expression.operator, expression.operand):
            yield {} if value is None else {expression.selector: value}
    elif expression.how == "any":
        for part in expression.parts:
            yield from islice(_true(part), _MOST_TRIES)
    elif expression.how == "not":
        yield {}
        yield from _false(expression.parts[0])
    else:
        guesses = [list(islice(_true(part), 4)) for part in expression.parts]
        for chosen in product(*guesses):
            yield {name: value for fields in chosen for name, value in fields.items()}


def _false(expression: Expression) -> Iterator[Fields]:
    """Guesses at fields that make an expression false; most are false of a call that has none of its fields."""
    if isinstance(expression, Leaf):
        match expression.operator:
            case "not_in" if expression.operand:
                yield {expression.selector: expression.operand[0]}
            case "not_equals":
                yield {expression.selector: expression.operand}
            case "exists" if not expression.operand:
                yield {expression.selector: "x"}
        yield {}
    elif expression.how == "not":
        yield from _true(expression.parts[0])
    else:
        guesses = [list(islice(_false(part), 2)) for part in expression.parts]
        for chosen in product(*guesses):
            yield {name: value for fields in chosen for name, value in fields.items()}


def _values(operator: str, operand: Any) -> Iterator[Any]:
    """Values for which an operator hits; None stands for an absent field."""
    match operator:
        case "exists":
            yield "x" if operand else None
        case "equals" | "contains" | "starts_with" | "ends_with" | "gte" | "lte":
            yield operand
        case "in" | "contains_any":
            yield from operand
        case "not_equals":
            yield from ("something else", 0, 1)
        case "not_in":
            yield from ("something else", 0, 1)
        case "gt":
            yield operand + 1
        case "lt":
            yield operand - 1
        case "matches":
            yield operand.sample()
        case "matches_any":
            yield from (pattern.sample() for pattern in operand)


def _call(fields: Fields, tool: str) -> ToolCall | None:
    args: dict[str, Any] = {}
    principal: dict[str, Any] = {}
    environment, name, answer = "production", tool, None
    for selected, value in fields.items():
        selector = without_view(selected)
        head, _, rest = selector.partition(".")
        if head in ("args", "principal"):
            if not _place(args if head == "args" else principal, rest.split("."), value):
                return None
        elif selector == "environment":
            environment = str(value)
        elif selector == "tool.name":
            name = str(value)
        else:
            answer = Answer(text=str(value))
    return ToolCall(tool=name, args=args, principal=principal or None, environment=environment, answer=answer)


def _place(target: dict[str, Any], path: list[str], value: Any) -> bool:
    for name in path[:-1]:
        target = target.setdefault(name, {})
        if not isinstance(target, dict):
            return False
    target[path[-1]] = value
    return True
