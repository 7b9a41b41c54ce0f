"""Rules against the tools that there are: a rule that cannot fire is worse than none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from bylaw.formats.bundles.documents import Bundle, Condition, Post, Pre, Session, Tool
from bylaw.language.expressions import Expression, Leaf
from bylaw.language.selectors import without_view
from bylaw.policy.tables import is_glob
from bylaw.reader import Problems, near

_TEXT = frozenset({"contains", "contains_any", "starts_with", "ends_with", "matches", "matches_any"})
_NUMBER = frozenset({"gt", "gte", "lt", "lte"})


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


def _check_condition(contract: Pre | Post, tools: Mapping[str, Tool], problems: Problems) -> None:
    meant = list(_meant(contract, tools, problems))
    for leaf in _leaves(contract.when):
        selector = without_view(leaf.selector)
        if not selector.startswith("args.") or not meant:
            continue
        found = [_type_at(tool.parameters, selector.split(".")[1:]) for tool in meant]
        if all(kind is None for kind in found):
            known = {f"args.{name}" for tool in meant for name in tool.parameters.get("properties", {})}
            problems.add(
                "unknown-argument", f"no tool this is for has `{selector}`", leaf.where, hint=near(selector, known)
            )
        elif not any(kind is not None and _can(leaf.operator, kind) for kind in found):
            kinds = " or ".join(sorted({kind for kind in found if kind}))
            problems.add(
                "impossible-type", f"`{leaf.operator}` has no meaning for `{selector}`, which is {kinds}", leaf.where
            )


def _meant(contract: Condition, tools: Mapping[str, Tool], problems: Problems) -> Iterator[Tool]:
    for target in contract.targets:
        found = [
            tool for name, tool in tools.items() if target == name or (is_glob(target) and fnmatchcase(name, target))
        ]
        if not found:
            _unknown(target, tools, contract.where("tools" if contract.tools else "tool"), problems)
        yield from found


def _unknown(name: str, tools: Mapping[str, Tool], where: Any, problems: Problems) -> None:
    problems.add("unknown-tool", f"`{name}` is none of the bundle's tools", where, hint=near(name, tools))


def _leaves(expression: Expression) -> Iterator[Leaf]:
    if isinstance(expression, Leaf):
        yield expression
    else:
        for part in expression.parts:
            yield from _leaves(part)


def _type_at(parameters: Mapping[str, Any], path: list[str]) -> str | None:
    """The type a schema gives to a path; empty where it leaves that open, None where there is no such path."""
    schema: Any = parameters
    for name in path:
        properties = schema.get("properties") if isinstance(schema, Mapping) else None
        if not isinstance(properties, Mapping):
            return (
                ""
                if isinstance(schema, Mapping) and schema.get("type") in (None, "object") and schema is not parameters
                else None
            )
        if name not in properties:
            return None
        schema = properties[name]
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _can(operator: str, kind: str) -> bool:
    if operator in _TEXT:
        return kind in ("", "string")
    if operator in _NUMBER:
        return kind in ("", "number", "integer")
    return True
