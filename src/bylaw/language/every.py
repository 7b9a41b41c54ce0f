"""`every`: operators that must hold for each item of a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from bylaw.reader import BAD, Bad, MapNode, Node, Problems, near, plain
from bylaw.reader.problems import listing
from bylaw.reader.shapes import wrong_type

if TYPE_CHECKING:
    from bylaw.language.operators import Test


class Every(msgspec.Struct, frozen=True, kw_only=True):
    """`source` is what the file says."""

    source: Any
    tests: tuple[Test, ...]

    def holds(self, values: Sequence[Any]) -> bool:
        from bylaw.language.operators import HIT  # operators have this one among them

        return all(test(value) is HIT for value in values for test in self.tests)


_LEAST = {"gte": False, "gt": True}
_MOST = {"lte": False, "lt": True}


def impossible(operands: Mapping[str, Any]) -> Iterator[str]:
    """What no value satisfies, of operators that stand together and by what they are given."""
    if "one_of" in operands and not operands["one_of"]:
        yield "`one_of` names no value"
    if operands.get("exists") is False and len(operands) > 1:
        yield "`exists: false` holds where nothing is, and the others where something is"
    for low, above in _LEAST.items():
        for high, below in _MOST.items():
            if low in operands and high in operands:
                least, most = operands[low], operands[high]
                if least > most or (least == most and (above or below)):
                    yield f"`{low}: {least}` and `{high}: {most}`"
    shortest, longest = operands.get("length_gte"), operands.get("length_lte")
    if longest is not None and longest < 0:
        yield f"`length_lte: {longest}`"
    elif longest is not None and shortest is not None and shortest > longest:
        yield f"`length_gte: {shortest}` and `length_lte: {longest}`"


def tell_impossible(operands: Mapping[str, Any], node: Node, problems: Problems) -> None:
    for said in impossible(operands):
        problems.add("never-holds", f"no value satisfies this: {said}", node.span, level="warning")


def read_operators(node: MapNode, problems: Problems, *, beside: tuple[str, ...] = ()) -> dict[str, Any]:
    """Operators and what they are given, as far as that is right; `beside` are keys of another kind."""
    from bylaw.language.operators import JSON  # as above

    operands: dict[str, Any] = {}
    for name, entry in node.entries.items():
        if name in beside:
            continue
        operator = JSON.operators.get(name)
        if operator is None:
            hint = near(name, [*beside, *JSON.operators]) or f"operators are {listing(JSON.operators)}"
            problems.add("unknown-operator", f"`{name}` is not an operator", entry.where, hint=hint)
            continue
        operand = operator.operand.read(entry.node, problems)
        if not isinstance(operand, Bad):
            operands[name] = operand
    return operands


class EveryShape(msgspec.Struct, frozen=True, kw_only=True):
    says = "a mapping of operators"

    def read(self, node: Node, problems: Problems) -> Every | Bad:
        from bylaw.language.operators import JSON  # as above

        if not isinstance(node, MapNode):
            return wrong_type(self, node, problems)
        if not node.entries:
            hint = "write `every: {type: string}`, for example"
            problems.add("nothing-to-check", "`every` has no operator", node.span, hint=hint)
            return BAD
        operands = read_operators(node, problems)
        tell_impossible(operands, node, problems)
        if len(operands) < len(node.entries):
            return BAD
        return Every(source=plain(node), tests=tuple(JSON.test(name, given) for name, given in operands.items()))

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "minProperties": 1}
