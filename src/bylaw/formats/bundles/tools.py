"""Rules against the tools that there are: a rule that cannot fire is worse than none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from bylaw.errors import Span
from bylaw.formats.bundles.documents import Bundle, Condition, Post, Pre, Session, Tool
from bylaw.language.expressions import Leaf, leaves
from bylaw.language.selectors import split_view
from bylaw.policy.tables import EVERY_TOOL
from bylaw.reader import Problems, near

Types = frozenset[str]
"""The types a JSON Schema lets a value have; none where it leaves that open."""

_TEXT = frozenset({"contains", "contains_any", "starts_with", "ends_with", "matches", "matches_any"})
_NUMBER = frozenset({"gt", "gte", "lt", "lte"})
_NUMBERS = frozenset({"number", "integer", "boolean"})
"""What a number, or true and false, which are 1 and 0 to Python, can equal."""


def check_tools(bundle: Bundle, problems: Problems) -> None:
    """Where a bundle says which tools there are, everything that speaks of another one, or of what it has not."""
    if bundle.tools is None:
        return
    for contract in bundle.contracts:
        if isinstance(contract, Session):
            for name in contract.limits.max_calls_per_tool:
                if name not in bundle.tools:
                    _unknown(name, bundle.tools, contract.limits.where("max_calls_per_tool"), problems)
        else:
            _check_condition(contract, bundle.tools, problems)


def has_argument(parameters: Mapping[str, Any], selector: str) -> bool:
    """Whether a tool may have what `args.…` names."""
    return _types_at(parameters, selector.split(".")[1:]) is not None


def argument_names(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_properties(parameters) or ())


def _check_condition(contract: Pre | Post, tools: Mapping[str, Tool], problems: Problems) -> None:
    meant = list(_meant(contract, tools, problems))
    for leaf in leaves(contract.when):
        selector, view = split_view(leaf.selector)
        if not selector.startswith("args.") or not meant:
            continue
        found = [
            types for tool in meant if (types := _types_at(tool.parameters, selector.split(".")[1:])) is not None
        ]
        if not found:
            known = {f"args.{name}" for tool in meant for name in _properties(tool.parameters) or ()}
            problems.add(
                "unknown-argument", f"no tool this is for has `{selector}`", leaf.where, hint=near(selector, known)
            )
        elif not any(_can(leaf, types, viewed=bool(view)) for types in found):
            kinds = " or ".join(sorted(frozenset().union(*found)))
            what = f"`| {view}`" if view else f"`{leaf.operator}`"
            problems.add("impossible-type", f"{what} has no meaning for `{selector}`, which is {kinds}", leaf.where)


def _meant(contract: Condition, tools: Mapping[str, Tool], problems: Problems) -> Iterator[Tool]:
    for written, pattern in zip(contract.targets, contract.patterns, strict=True):
        found = [tool for name, tool in tools.items() if fnmatchcase(name, pattern)]
        if not found and pattern != EVERY_TOOL:
            _unknown(written, tools, contract.where("tools" if contract.tools else "tool"), problems)
        yield from found


def _unknown(name: str, tools: Mapping[str, Tool], where: Span, problems: Problems) -> None:
    problems.add("unknown-tool", f"`{name}` is none of the bundle's tools", where, hint=near(name, tools))


def _types_at(schema: Any, path: list[str]) -> Types | None:
    """The types a schema gives to what is at a path; None where there can be nothing."""
    for name in path:
        if not isinstance(schema, Mapping):
            return frozenset() if schema is not False else None
        properties = _properties(schema)
        if properties is not None and name in properties:
            schema = properties[name]
        else:
            schema = _may_be_a_mapping(schema) and (properties is None or _leaves_open(schema))
    return _types(schema)


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else None


def _leaves_open(schema: Mapping[str, Any]) -> bool:
    """Whether it says that there may be more than it lists."""
    return bool(schema.get("additionalProperties")) or "patternProperties" in schema


def _may_be_a_mapping(schema: Mapping[str, Any]) -> bool:
    types = _types(schema)
    return types is not None and (not types or "object" in types)


def _types(schema: Any) -> Types | None:
    if schema is False:
        return None
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(kind, str):
        return frozenset({kind})
    return frozenset(map(str, kind)) if isinstance(kind, list) else frozenset()


def _can(leaf: Leaf, types: Types, *, viewed: bool) -> bool:
    if not types:
        return True
    if viewed or leaf.operator in _TEXT:
        return "string" in types
    if leaf.operator in _NUMBER:
        return bool(types & {"number", "integer"})
    if leaf.operator in ("equals", "in"):
        operands = leaf.operand if isinstance(leaf.operand, tuple) else (leaf.operand,)
        return any(types & (frozenset({"string"}) if isinstance(operand, str) else _NUMBERS) for operand in operands)
    return True
