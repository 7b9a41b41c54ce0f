"""Plain functions under a guard: called as before, and every call is judged."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Judge(Protocol):
    """What guards functions."""

    async def run(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Any: ...

    def run_sync(
        self, tool_name: str, args: Mapping[str, Any], tool_callable: Callable[..., Any], **about: Any
    ) -> Any: ...


def guarded(
    function: Callable[..., Any], name: str | None, guard: Judge, about: Mapping[str, Any]
) -> Callable[..., Any]:
    tool = name or _own_name(function)
    _refuse_descriptor(function, tool)
    signature = inspect.signature(function)
    _refuse(function, tool, signature)

    def bound(positional: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        arguments = signature.bind(*positional, **named)
        arguments.apply_defaults()
        return _flat(signature, arguments.arguments)

    if _is_asynchronous(function):

        @functools.wraps(function)
        async def awaited(*positional: Any, **named: Any) -> Any:
            return await guard.run(tool, bound(positional, named), function, **about)

        return awaited

    @functools.wraps(function)
    def called(*positional: Any, **named: Any) -> Any:
        return guard.run_sync(tool, bound(positional, named), function, **about)

    return called


def _own_name(function: Callable[..., Any]) -> str:
    try:
        return function.__name__
    except AttributeError:
        raise TypeError(f"a {type(function).__name__} has no name of its own: give `name=`") from None


def _is_asynchronous(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _makes_pieces(function: Callable[..., Any]) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _refuse_descriptor(function: Any, tool: str) -> None:
    """In a class these stand around a function; what is made of them here would stand there as a method."""
    if isinstance(function, staticmethod):
        raise TypeError(f"`{tool}` is a static method: put `@staticmethod` above `@guard.tool`")
    if isinstance(function, classmethod):
        raise TypeError(f"`{tool}` is a class method: guard it on the class, `guard.tool(Thing.{tool})`")


def _refuse(function: Callable[..., Any], tool: str, signature: inspect.Signature) -> None:
    """What can't be guarded: an answer that comes in pieces, arguments without a name, an object to be copied."""
    if any(map(_makes_pieces, (function, type(function).__call__))):
        raise TypeError(f"`{tool}` is a generator: what it yields comes after it was judged; let it return a list")
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise TypeError(
                f"`{tool}` takes `{parameter.name}` by position only; a guarded tool takes named arguments"
            )
    if next(iter(signature.parameters), None) in ("self", "cls"):
        method = _own_name(function)
        raise TypeError(
            f"`{function.__qualname__}` is a method that is not bound: guard it on the object,"
            f" `guard.tool(thing.{method})`"
        )


def _flat(signature: inspect.Signature, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, those of `**kwargs` beside the others: what the rules see is what the tool is given."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        else:
            found[name] = value
    return found
