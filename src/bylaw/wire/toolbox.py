"""Tools and tool choices, in whichever provider's shape they are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bylaw.wire.depth import deep_value
from bylaw.wire.request import NotARequest, Tool, no_parameters

_SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
_CHOICES = {"any": "required", "validated": "auto", "mode_unspecified": "auto"}
_WORDS = ("auto", "none", "required")
_SAID = frozenset({"name", "description", "type", "function", *_SCHEMAS})


def read_tools(given: Any) -> tuple[tuple[Tool, ...], tuple[Any, ...]]:
    """The functions, and apart from them the tools that a provider runs itself."""
    if given is None:
        return (), ()
    if not isinstance(given, list):
        raise NotARequest("`tools` is not a list")
    functions: list[Tool] = []
    others: list[Any] = []
    for entry in given:
        if not isinstance(entry, dict):
            raise NotARequest("a tool is not an object")
        if deep_value(entry):
            raise NotARequest("a tool is nested too deep")
        found = list(_functions(entry))
        functions.extend(found)
        if not found:
            others.append(entry)
    return tuple(functions), tuple(others)


def _functions(entry: dict[str, Any]) -> Iterator[Tool]:
    declared = entry.get("functionDeclarations", entry.get("function_declarations"))
    if isinstance(declared, list):
        for function in declared:
            yield _function(function, lowered=True)
    elif isinstance(entry.get("function"), dict):
        yield _function(entry["function"], lowered=False)
    elif entry.get("type") in (None, "function", "custom") and isinstance(entry.get("name"), str):
        yield _function(entry, lowered=False)


def _function(entry: Any, *, lowered: bool) -> Tool:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name:
        raise NotARequest("a tool has no name")
    schema = next((entry[key] for key in _SCHEMAS if isinstance(entry.get(key), dict)), no_parameters())
    description = entry.get("description")
    return Tool(
        name=name,
        description=description if isinstance(description, str) else "",
        parameters=_lowered(schema) if lowered else schema,
        extra={key: value for key, value in entry.items() if key not in _SAID and (key, value) != ("strict", False)},
    )


def _lowered(schema: Any) -> Any:
    """Google writes the types of a schema in capitals; JSON Schema doesn't."""
    if isinstance(schema, list):
        return [_lowered(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: inner.lower() if key == "type" and isinstance(inner, str) else _lowered(inner)
        for key, inner in schema.items()
    }


def read_choice(given: Any) -> str | None:
    """`auto`, `none`, `required` or a tool's name; None for what has no such word."""
    if isinstance(given, str):
        return _CHOICES.get(given.lower(), given)
    if not isinstance(given, dict) or given.get("disable_parallel_tool_use"):
        return None
    inner = next((given[key] for key in _NESTED if isinstance(given.get(key), dict)), None)
    if inner is not None:
        return read_choice(inner)
    name = given.get("name")
    if isinstance(name, str):
        return name
    allowed = given.get("allowedFunctionNames", given.get("allowed_function_names"))
    if isinstance(allowed, list) and len(allowed) == 1 and isinstance(allowed[0], str):
        return allowed[0]
    word = given.get("type", given.get("mode"))
    word = _CHOICES.get(word.lower(), word.lower()) if isinstance(word, str) else None
    return word if word in _WORDS else None


_NESTED = ("function", "functionCallingConfig", "function_calling_config")
