"""Selectors: words that name a part of a tool call, compiled to functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from bylaw.evidence import ToolCall
from bylaw.language.operators import MISSING, Mismatch
from bylaw.reader import near

Getter = Callable[[ToolCall], Any]
PRINCIPAL_FIELDS = ("user_id", "service_id", "org_id", "role", "ticket_ref")
_WORDS = ("environment", "tool.name", "output.text", *(f"principal.{name}" for name in PRINCIPAL_FIELDS))


class SelectorError(ValueError):
    """A selector that names nothing; `hint` has the likely word."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.hint = hint
        super().__init__(message)


def compile_selector(text: str) -> Getter:
    """The function that takes the named part out of a call, or gives `MISSING`."""
    head, _, rest = text.partition(".")
    path = tuple(rest.split(".")) if rest else ()
    if text == "environment":
        return lambda call: call.environment
    if text == "tool.name":
        return lambda call: call.tool
    if text == "output.text":
        return _output
    if all(path) and path:
        if head == "args":
            return _of_args(path)
        if head == "principal" and (path[0] in PRINCIPAL_FIELDS and len(path) == 1):
            return _of_principal(path)
        if head == "principal" and path[0] == "claims" and len(path) > 1:
            return _of_principal(path)
    raise SelectorError(f"`{text}` is not a selector", hint=_hint(text))


def _hint(text: str) -> str:
    whole = text.rstrip(".")
    if whole in ("args", "principal", "principal.claims"):
        return f"name a field of it: `{whole}.…`"
    head, _, rest = text.partition(".")
    if rest and head != "args" and get_close_matches(head, ["args"], cutoff=0.7):
        return f"did you mean `args.{rest}`?"
    return near(text, _WORDS) or "selectors are `environment`, `tool.name`, `args.…`, `principal.…` and `output.text`"


def _output(call: ToolCall) -> Any:
    return MISSING if call.answer is None or call.answer.text is None else call.answer.text


def _of_args(path: tuple[str, ...]) -> Getter:
    if len(path) == 1:
        name = path[0]
        return lambda call: call.args.get(name, MISSING)
    return lambda call: _walk(call.args, path)


def _of_principal(path: tuple[str, ...]) -> Getter:
    if len(path) > 1:
        return lambda call: _walk(call.principal, path)
    name = path[0]
    return lambda call: MISSING if call.principal is None else call.principal.get(name, MISSING)


def _walk(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if type(value) is not dict and not isinstance(value, Mapping):
            return _beyond(value, name)
        value = value.get(name, MISSING)
    return value


def _beyond(value: Any, name: str) -> Any:
    """JSON that is no mapping has no fields. Whether an object of another kind has them, nobody can tell."""
    if value is MISSING or value is None or isinstance(value, (str, int, float, list)) or type(value) is tuple:
        return MISSING
    raise Mismatch(f"`{name}` can't be looked up in a {type(value).__name__}, which is no mapping")


def without_view(text: str) -> str:
    """The selector of `selector | view`."""
    return split_view(text)[0]


def split_view(text: str) -> tuple[str, str]:
    """Selector and view of `selector | view`; the view is empty where there is none."""
    selector, _, view = text.partition("|")
    return selector.strip(), view.strip()
