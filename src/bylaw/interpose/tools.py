"""The callables that a reference stands for, and what a caller asks of them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from bylaw.interpose.plain import Plain, plain
from bylaw.interpose.references import BadReference, look_up


class Tool:
    """One callable and the name it goes by.

    `takes_self` says that its first argument is no argument of the tool. `home` is the only container in which it may
    be stood in for, where replacing it everywhere would be too much: a registry may hold `len`, or a class.
    """

    # Slots also keep it out of reach of `swap`, which changes the attributes of instances that have a dict.
    __slots__ = ("home", "name", "original", "signature", "takes_self")

    def __init__(self, name: str, original: Any, *, takes_self: bool = False, home: Any = None) -> None:
        self.name = name
        self.home = home
        self.original = original
        self.takes_self = takes_self
        self.signature = _signature(MethodType(original, self) if takes_self else original)

    @property
    def awaited(self) -> bool:
        """Whether calling it gives something to await."""
        by_class = getattr(type(self.original), "__call__", None)  # noqa: B004 (it is read, not asked for)
        return inspect.iscoroutinefunction(self.original) or inspect.iscoroutinefunction(by_class)

    def asked(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Plain]:
        """The arguments by name; where the tool does not take them, as they were passed."""
        passed = args[1:] if self.takes_self else args
        found: dict[str, Any] = {"args": passed, **kwargs} if passed else dict(kwargs)
        if self.signature is not None:
            with suppress(TypeError):  # which the call itself will raise
                found = _by_name(self.signature.bind(*passed, **kwargs))
        return {name: plain(value) for name, value in found.items()}


def _by_name(bound: inspect.BoundArguments) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        if bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        else:
            found[name] = value
    return found


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None  # some built-in functions have none


def tools_named(reference: str) -> list[Tool]:
    """One for a function or method, all of them for a registry."""
    owner, found = look_up(reference)
    name = reference.rpartition(":")[2].rpartition(".")[2]
    if isinstance(found, MethodType):
        return [Tool(name, found.__func__, takes_self=True)]
    if isinstance(found, FunctionType):
        of_class = isinstance(owner, type) and not isinstance(inspect.getattr_static(owner, name), staticmethod)
        return [Tool(name, found, takes_self=of_class)]
    registry = _registry(found)
    if registry is None and callable(found) and not isinstance(found, type):
        return [Tool(name, found)]
    if not registry:
        what = "a class" if isinstance(found, type) else f"of type `{type(found).__name__}`"
        raise BadReference(f"`{reference}` names no tools: it is {what}, and holds none")
    return [_member(registry, name, tool, reference) for name, tool in _by_names(registry)]


def _registry(found: Any) -> Mapping[Any, Any] | list[Any] | tuple[Any, ...] | None:
    """The container of tools, or None where this is no registry."""
    if isinstance(found, Mapping | list | tuple):
        return found
    tools = None if isinstance(found, type) else getattr(found, "tools", None)
    return tools if isinstance(tools, Mapping | list | tuple) else None


def _by_names(registry: Mapping[Any, Any] | list[Any] | tuple[Any, ...]) -> list[tuple[str, Any]]:
    if isinstance(registry, Mapping):
        return [(str(name), tool) for name, tool in registry.items()]
    return [(str(getattr(tool, "__name__", type(tool).__name__)), tool) for tool in registry]


def _member(registry: Any, name: str, tool: Any, reference: str) -> Tool:
    if not callable(tool):
        raise BadReference(f"`{reference}` holds `{name}`, which can't be called")
    return Tool(name, tool, home=registry if isinstance(tool, BuiltinFunctionType | type) else None)
