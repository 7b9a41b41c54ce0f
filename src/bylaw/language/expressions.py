"""Conditions on a tool call: a tree of `all`, `any`, `not` and comparisons, read once and compiled to functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from bylaw.errors import Span
from bylaw.evidence import ToolCall
from bylaw.language.operators import CALLS, MISSING, NUMERIC, Dialect, Mismatch, is_text
from bylaw.language.selectors import Getter, SelectorError, compile_selector, split_view
from bylaw.language.views import VIEWS, View
from bylaw.reader.nodes import Entry, MapNode, Node
from bylaw.reader.problems import Problems, listing, near
from bylaw.reader.shapes import BAD, Bad, Items, ListOf, Shape, wrong_type

Condition = Callable[[ToolCall], bool]
_COMBINATORS = ("all", "any", "not")


class Leaf(msgspec.Struct, frozen=True, kw_only=True):
    """One comparison: a selector, an operator, an operand.

    `every` is set below an odd number of `not`s: there a comparison on a view holds only if it holds for every one of
    its texts. So a condition holds wherever one of the texts makes it hold.
    """

    selector: str
    operator: str
    operand: Any
    where: Span
    every: bool = False


class Combined(msgspec.Struct, frozen=True, kw_only=True):
    """`all` or `any` of some expressions, or `not` of one."""

    how: Literal["all", "any", "not"]
    parts: tuple[Expression, ...]
    where: Span


Expression = Leaf | Combined


def leaves(expression: Expression) -> Iterator[Leaf]:
    """Every comparison in an expression, in the order in which they stand."""
    if isinstance(expression, Leaf):
        yield expression
    else:
        for part in expression.parts:
            yield from leaves(part)


class ExpressionShape(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of a `when`. Selectors in `absent` do not exist where it stands; the value says why.

    `negated` is it below an odd number of `not`s.
    """

    absent: tuple[tuple[str, str], ...] = ()
    negated: bool = False

    says = "a condition"

    def read(self, node: Node, problems: Problems) -> Expression | Bad:
        if not isinstance(node, MapNode):
            return wrong_type(self, node, problems)
        if len(node.entries) != 1:
            found = f"has {len(node.entries)} keys" if node.entries else "is empty"
            problems.add(
                "not-one-key",
                f"a condition has exactly one key; this one {found}",
                node.span,
                hint="join several with `all:` or `any:`",
            )
            for entry in node.entries.values():
                self._entry(entry, problems)
            return BAD
        (entry,) = node.entries.values()
        return self._entry(entry, problems)

    def _entry(self, entry: Entry, problems: Problems) -> Expression | Bad:
        return self._combined(entry, problems) if entry.key in _COMBINATORS else self._leaf(entry, problems)

    def _combined(self, entry: Entry, problems: Problems) -> Expression | Bad:
        parts: tuple[Expression | Bad, ...] | Bad
        if entry.key == "not":
            parts = (msgspec.structs.replace(self, negated=not self.negated).read(entry.node, problems),)
        else:
            parts = ListOf(item=self, items=Items(min=1)).read(entry.node, problems)
        if isinstance(parts, Bad):
            return BAD
        good = tuple(part for part in parts if not isinstance(part, Bad))
        if len(good) < len(parts):
            return BAD
        return Combined(how=entry.key, parts=good, where=entry.where)  # type: ignore[arg-type]  # one of _COMBINATORS

    def _leaf(self, entry: Entry, problems: Problems) -> Expression | Bad:
        before = len(problems.errors)
        self._selector(entry, problems)
        node = entry.node
        if not isinstance(node, MapNode):
            problems.add(
                "wrong-type", f"`{entry.key}` needs an operator", node.span, hint="write `{equals: …}`, for example"
            )
            return BAD
        if len(node.entries) != 1:
            found = f"{len(node.entries)} operators" if node.entries else "no operator"
            problems.add(
                "not-one-operator",
                f"`{entry.key}` has {found}; it needs exactly one",
                node.span,
                hint="join several with `all:`",
            )
        operands: dict[str, Any] = {}
        for name, inner in node.entries.items():
            known = CALLS.operators.get(name)
            if known is None:
                hint = near(name, CALLS.operators) or f"it is one of {listing(CALLS.operators)}"
                problems.add("unknown-operator", f"`{name}` is not an operator", inner.where, hint=hint)
            else:
                operands[name] = known.operand.read(inner.node, problems)
                _check_text(entry, name, operands[name], problems)
        if len(problems.errors) > before or len(operands) != 1:
            return BAD
        ((name, operand),) = operands.items()
        return Leaf(selector=entry.key, operator=name, operand=operand, where=entry.where, every=self.negated)

    def _selector(self, entry: Entry, problems: Problems) -> None:
        selector, view = split_view(entry.key)
        if "|" in entry.key and view not in VIEWS:
            hint = near(view, VIEWS) or f"views are {listing(VIEWS)}"
            problems.add("unknown-view", f"`{view}` is not a view", entry.where, hint=hint)
        try:
            compile_selector(selector)
        except SelectorError as error:
            hint = near(entry.key, _COMBINATORS) or error.hint
            problems.add("unknown-selector", str(error), entry.where, hint=hint)
        for absent, why in self.absent:
            if selector == absent:
                problems.add("selector-not-here", f"`{absent}` {why}", entry.where)

    def schema(self) -> dict[str, Any]:
        return {"$ref": "#/$defs/condition"}

    def definitions(self) -> dict[str, Any]:
        """What `schema` refers to: a condition holds conditions."""
        condition = {"$ref": "#/$defs/condition"}
        many = {"type": "array", "items": condition, "minItems": 1}
        leaf = {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": False,
            "properties": {name: _operand(operator.operand) for name, operator in CALLS.operators.items()},
        }
        return {
            "condition": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "properties": {"all": many, "any": many, "not": condition},
                "additionalProperties": leaf,
            }
        }


def _check_text(entry: Entry, operator: str, operand: Any, problems: Problems) -> None:
    """What a view gives is text: a comparison with a number says nothing of it."""
    view = split_view(entry.key)[1]
    if not view or isinstance(operand, Bad):
        return
    if operator in NUMERIC:
        problems.add(
            "impossible-type",
            f"`{operator}` compares numbers, and `| {view}` gives text",
            entry.where,
            hint="leave the view out, or look for text",
        )
    elif operator in ("equals", "not_equals", "in", "not_in"):
        values = operand if isinstance(operand, tuple) else (operand,)
        if values and not any(isinstance(value, str) for value in values):
            problems.add(
                "impossible-type",
                f"`| {view}` gives text, which never equals {_plain(values[0])}",
                entry.where,
                hint=f"quote it: '{_plain(values[0])}'",
            )


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _operand(shape: Shape) -> dict[str, Any]:
    return shape.schema()


def compile_expression(expression: Expression, *, dialect: Dialect = CALLS) -> Condition:
    """A function from a call to whether the condition holds; left to right, and no further than needed."""
    if isinstance(expression, Leaf):
        return _compile_leaf(expression, dialect)
    parts = [compile_expression(part, dialect=dialect) for part in expression.parts]
    if expression.how == "not":
        (inner,) = parts
        return lambda call: not inner(call)
    if len(parts) == 1:
        return parts[0]
    return _every(parts) if expression.how == "all" else _some(parts)


def _every(parts: Sequence[Condition]) -> Condition:
    def holds(call: ToolCall) -> bool:
        for part in parts:  # noqa: SIM110 (a generator expression costs 0.2 µs a call here)
            if not part(call):
                return False
        return True

    return holds


def _some(parts: Sequence[Condition]) -> Condition:
    def holds(call: ToolCall) -> bool:
        for part in parts:  # noqa: SIM110 (a generator expression costs 0.2 µs a call here)
            if part(call):
                return True
        return False

    return holds


def _compile_leaf(leaf: Leaf, dialect: Dialect) -> Condition:
    selector, view = split_view(leaf.selector)
    get = compile_selector(selector)
    operator = dialect.operators[leaf.operator]
    accepts, holds_for = operator.accepts, operator.holds(leaf.operand)
    absent, null_is_missing = operator.hits_absent(leaf.operand), dialect.null_is_missing

    def text(call: ToolCall) -> bool:
        value = get(call)
        if type(value) is str:
            return holds_for(value)
        return other(value)

    def anything(call: ToolCall) -> bool:
        value = get(call)
        return other(value) if value is MISSING or value is None else holds_for(value)

    def some(call: ToolCall) -> bool:
        return other(get(call))

    def other(value: Any) -> bool:
        if value is MISSING or (value is None and null_is_missing):
            return absent
        if accepts is None or accepts(value):
            return holds_for(value)
        if dialect.mismatch == "raises":
            kind = type(value).__name__
            raise Mismatch(
                f"`{leaf.operator}` has no meaning for `{leaf.selector}`, which is {_KINDS.get(kind, kind)}"
            )
        return False

    if view:
        return _through_view(leaf, get, VIEWS[view], other)
    if accepts is is_text:
        return text
    return some if accepts is not None else anything


def _through_view(leaf: Leaf, get: Getter, view: View, holds: Callable[[Any], bool]) -> Condition:
    """A value in which the view finds nothing is as good as missing; one it can't read is an error of the rule."""
    among = all if leaf.every else any
    asks_type = leaf.operator != "exists"

    def viewed(call: ToolCall) -> bool:
        value = get(call)
        if isinstance(value, str):
            texts = view(value)
            return among(map(holds, texts)) if texts else holds(MISSING)
        if asks_type and value is not MISSING and value is not None:
            kind = type(value).__name__
            raise Mismatch(f"`{leaf.selector}` reads text, and this is {_KINDS.get(kind, kind)}")
        return holds(value)

    return viewed


_KINDS = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "tuple": "a list",
    "dict": "a mapping",
}
