"""An agent's tools, stood in for by ones that record and fail."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from bylaw.interpose.callables import Recorder
from bylaw.interpose.references import BadReference
from bylaw.interpose.swap import put, swap
from bylaw.interpose.tools import Tool, tools_named


class Interposed:
    """While active, every reference to the named tools leads to a stand-in; afterwards all lead back.

    A reference names a function, a method, a dict or list of callables, or an object whose `tools` is one of these
    (a registry). `recorder` is whose trial the calls belong to: it may change while active, and without one calls
    pass through unseen. A method is stood in for on its class, so for all instances.
    """

    def __init__(self, references: Sequence[str], *, recorder: Recorder | None = None) -> None:
        self.recorder = recorder
        self._references = tuple(references)
        self._stand_ins: dict[int, tuple[Tool, Any]] = {}

    def __enter__(self) -> Interposed:
        tools = [tool for reference in self._references for tool in tools_named(reference)]
        first = {id(tool.original): tool for tool in reversed(tools)}
        stand_ins = {key: self._stand_in(tool) for key, tool in first.items()}
        self._stand_ins = {id(stand_in): (first[key], stand_in) for key, stand_in in stand_ins.items()}
        try:
            swap(
                stand_ins,
                [tool.original for tool in first.values() if tool.home is None],
                spare=[*map(vars, stand_ins.values()), *_own_modules()],
            )
            for home in [tool.home for tool in tools if tool.home is not None]:
                put(home, stand_ins)
            self._verify()
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self.recorder = None
        self._restore()

    @property
    def names(self) -> frozenset[str]:
        """What the tools that are stood in for go by."""
        return frozenset(tool.name for tool, _ in self._stand_ins.values())

    def _restore(self) -> None:
        """What took hold of a stand-in meanwhile is led back as well."""
        made = tuple(self._stand_ins.values())
        self._stand_ins = {}
        swap({id(stand_in): tool.original for tool, stand_in in made}, [stand_in for _, stand_in in made], spare=made)

    def _verify(self) -> None:
        for reference in self._references:
            if any(id(tool.original) not in self._stand_ins for tool in tools_named(reference)):
                raise BadReference(
                    f"`{reference}` can't be stood in for: it is another one each time it is looked up"
                )

    def _stand_in(self, tool: Tool) -> Any:
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            recorder = self.recorder
            if recorder is None:
                return await tool.original(*args, **kwargs)
            asked = tool.asked(args, kwargs)
            return await recorder.call_async(tool.name, asked, lambda: tool.original(*args, **kwargs))

        def called(*args: Any, **kwargs: Any) -> Any:
            recorder = self.recorder
            if recorder is None:
                return tool.original(*args, **kwargs)
            asked = tool.asked(args, kwargs)
            return recorder.call(tool.name, asked, lambda: tool.original(*args, **kwargs))

        stand_in = awaited if tool.awaited else called
        stand_in.__name__ = stand_in.__qualname__ = tool.name
        return functools.wraps(tool.original)(stand_in)


def _own_modules() -> Iterator[dict[str, Any]]:
    """Our code goes on with the real things: a tool may be part of the standard library that we use ourselves."""
    return (vars(module) for name, module in list(sys.modules.items()) if name.startswith("bylaw."))
