"""A condition on one call, branch by branch: what each part saw and what it came to."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from bylaw.evidence import ToolCall
from bylaw.language.expressions import Expression, Leaf, compile_expression
from bylaw.language.operators import MISSING, Mismatch
from bylaw.language.selectors import compile_selector, split_view
from bylaw.language.views import VIEWS

State = Literal["true", "false", "missing", "mismatch", "error", "not reached"]
"""`missing` is false because the field, or what a view looks for in it, is not there; `mismatch` and `error` break
the whole condition."""


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a condition. `value` is what a comparison saw, through its view if any; `says` is why it broke."""

    expression: Expression
    state: State
    value: Any = MISSING
    says: str = ""
    parts: tuple[Trace, ...] = ()

    @property
    def broke(self) -> bool:
        return self.state in ("mismatch", "error")

    @property
    def fires(self) -> bool:
        """A condition that breaks counts as one that holds."""
        return self.state == "true" or self.broke


def trace(expression: Expression, call: ToolCall) -> Trace:
    """Goes the way that evaluation goes: left to right, no further than needed, and not past a part that breaks."""
    if isinstance(expression, Leaf):
        return _trace_leaf(expression, call)
    parts: list[Trace] = []
    for part in expression.parts:
        if parts and _settled(expression.how, parts[-1]):
            parts.append(_not_reached(part))
        else:
            parts.append(trace(part, call))
    last = next(part for part in reversed(parts) if part.state != "not reached")
    if last.broke:
        return Trace(expression=expression, state=last.state, says=last.says, parts=tuple(parts))
    holds = (last.state == "true") is not (expression.how == "not")
    return Trace(expression=expression, state="true" if holds else "false", parts=tuple(parts))


def _settled(how: str, last: Trace) -> bool:
    if last.broke or last.state == "not reached":
        return True
    return (last.state == "true") is (how == "any")


def _not_reached(expression: Expression) -> Trace:
    parts = () if isinstance(expression, Leaf) else tuple(_not_reached(part) for part in expression.parts)
    return Trace(expression=expression, state="not reached", parts=parts)


def _trace_leaf(leaf: Leaf, call: ToolCall) -> Trace:
    value: Any = MISSING
    viewed = "|" in leaf.selector
    try:
        value = _seen(leaf, call)
        holds = compile_expression(leaf)(call)
    except Mismatch as error:
        return Trace(expression=leaf, state="mismatch", value=value, says=str(error))
    except Exception as error:  # noqa: BLE001 a rule's evaluation may raise anything, and the rule then counts as firing
        return Trace(expression=leaf, state="error", value=value, says=str(error))
    if holds:
        return Trace(expression=leaf, state="true", value=value)
    absent = value is MISSING or value is None or (viewed and value == [])
    return Trace(expression=leaf, state="missing" if absent else "false", value=value)


def _seen(leaf: Leaf, call: ToolCall) -> Any:
    """The texts that a view makes of a value are seen in its place."""
    selector, view = split_view(leaf.selector)
    value = compile_selector(selector)(call)
    return list(VIEWS[view](value)) if view and isinstance(value, str) else value
