"""A call that makes a condition true: proof that a rule can fire at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from bylaw.evidence import Answer, ToolCall
from bylaw.language.expressions import Expression, Leaf, compile_expression
from bylaw.language.selectors import without_view
from bylaw.language.spelling import spell

_MOST_TRIES = 64
_MOST_TOOLS = 8
Fields = Mapping[str, Any]
"""Values by selector; what is not named is absent."""


def witness(
    expression: Expression, *, tools: Sequence[str], is_for: Callable[[str], bool] = lambda _: True
) -> ToolCall | None:
    """A call on which the condition holds, or None where none was found; each guess is tried before it is given.

    `tools` are names to call, `is_for` says of any other whether a rule would be asked about it at all. A guess on
    which the condition breaks is no witness.
    """
    holds = compile_expression(expression)
    for fields in islice(_true(expression), _MOST_TRIES):
        named = str(fields.get(_TOOL, ""))
        for tool in ([named] if named and is_for(named) else []) + list(tools[:_MOST_TOOLS]):
            call = _call(fields, tool)
            if call is not None and _safely(holds, call):
                return call
    return None


_TOOL = "tool.name"


def why_no_witness(
    expression: Expression, *, tools: Sequence[str], is_for: Callable[[str], bool] = lambda _: True
) -> str:
    """The part of a condition that no call could be made for by itself, or that the parts do not go together."""
    for part in _needed(expression):
        if witness(part, tools=tools, is_for=is_for) is None:
            said = f"no call was found on which `{spell(part)}` holds"
            return f"{said} for the tools it names" if _is_on_tool(part) else said
    return "no call was found on which all of its condition holds together"


def _needed(expression: Expression) -> Iterator[Expression]:
    """What must hold, part by part, for the whole to hold."""
    if isinstance(expression, Leaf) or expression.how != "all":
        yield expression
    else:
        for part in expression.parts:
            yield from _needed(part)


def _is_on_tool(expression: Expression) -> bool:
    if isinstance(expression, Leaf):
        return expression.selector == _TOOL
    return any(map(_is_on_tool, expression.parts))


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
    environment, answer = "production", None
    for selected, value in fields.items():
        selector = without_view(selected)
        head, _, rest = selector.partition(".")
        if head in ("args", "principal"):
            if not _place(args if head == "args" else principal, rest.split("."), value):
                return None
        elif selector == "environment":
            environment = str(value)
        elif selector == "output.text":
            answer = Answer(text=str(value))
    return ToolCall(tool=tool, args=args, principal=principal or None, environment=environment, answer=answer)


def _place(target: dict[str, Any], path: list[str], value: Any) -> bool:
    for name in path[:-1]:
        target = target.setdefault(name, {})
        if not isinstance(target, dict):
            return False
    target[path[-1]] = value
    return True
