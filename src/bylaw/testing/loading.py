"""A script out of a file, a text or Python values; or everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bylaw.errors import ConfigError, Span
from bylaw.reader import Entry, ListNode, MapNode, Node, Problems, Scalar, load, parse, read
from bylaw.testing.script import Script

_DEEPEST = 100


def script_from_file(path: Path) -> Script:
    problems = Problems()
    source = load(path, problems=problems)
    return _script(None if source is None else source.root, problems)


def script_from_text(text: str, *, file: str = "script") -> Script:
    problems = Problems()
    return _script(parse(text, file=file, problems=problems), problems)


def script_from_values(values: Any) -> Script:
    """The same as data. A place is told as the way there, such as `answers[0].when`."""
    return _script(_node(values, "script", 0), Problems())


def _script(root: Node | None, problems: Problems) -> Script:
    script = None if root is None else read(Script, root, problems)
    problems.raise_errors()
    assert script is not None
    return script


def _node(value: Any, at: str, depth: int) -> Node:
    span = Span(file=at)
    if depth > _DEEPEST:
        raise ConfigError("the script is nested too deep")
    match value:
        case None | bool() | int() | float() | str():
            return Scalar(value, span)
        case Mapping():
            inside = at.removeprefix("script")
            keys = {str(key): f"{inside}.{key}".removeprefix(".") for key in value}
            entries = {
                str(key): Entry(str(key), Span(file=keys[str(key)]), _node(inner, keys[str(key)], depth + 1))
                for key, inner in value.items()
            }
            return MapNode(entries, span)
        case list() | tuple():
            return ListNode([_node(inner, f"{at}[{index}]", depth + 1) for index, inner in enumerate(value)], span)
        case _:
            raise ConfigError(f"`{at}` of the script is no plain data")
