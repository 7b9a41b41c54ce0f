"""Tools by name, for agents that look them up instead of importing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Tool = Callable[..., Any]
_Tool = TypeVar("_Tool", bound=Tool)


class ToolRegistry:
    """Holds an agent's tools in one place, where all of them can be stood in for at once."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}

    def register(self, tool: _Tool) -> _Tool:
        """A decorator: the tool goes by the function's own name."""
        name = tool.__name__
        if name in self.tools:
            raise ValueError(f"two tools are called `{name}`")
        self.tools[name] = tool
        return tool

    def get(self, name: str) -> Tool:
        try:
            return self.tools[name]
        except KeyError:
            known = ", ".join(f"`{known}`" for known in self.tools) or "none"
            raise LookupError(f"there is no tool `{name}`; there are: {known}") from None

    def call(self, name: str, /, **args: Any) -> Any:
        """What the tool gives back; for an asynchronous tool that is something to await."""
        return self.get(name)(**args)
