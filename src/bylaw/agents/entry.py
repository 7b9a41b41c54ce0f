"""The agent as the user wrote it: found by name, called in the way it wants to be called."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from bylaw.agents.frames import Spec
from bylaw.interpose import BadReference, Interposed
from bylaw.interpose.plain import text
from bylaw.interpose.references import resolve


class Entry:
    """An agent and what belongs to it, imported. From here on its tools are stood in for."""

    def __init__(self, spec: Spec) -> None:
        self._answer = _answering(spec.endpoint)
        self._reset = None if spec.reset is None else _callable(spec.reset, resolve(spec.reset))
        self._runner: asyncio.Runner | None = None
        self.interposed = Interposed(spec.tools)
        self.interposed.__enter__()

    def ask(self, prompt: str) -> str | None:
        return _said(self._finished(self._answer(prompt)))

    def reset(self) -> None:
        if self._reset is not None:
            self._finished(self._reset())

    def _finished(self, result: Any) -> Any:
        """Asynchronous agents live in one event loop from trial to trial: their clients are bound to it."""
        if not inspect.isawaitable(result):
            return result
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_alone(result))


async def _alone(wanted: Awaitable[Any]) -> Any:
    """As under `asyncio.run`, no task outlives what was waited for: it would act in the next trial."""
    try:
        return await wanted
    finally:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def _answering(endpoint: str) -> Callable[[str], Any]:
    """The object's `invoke` or `ainvoke` where it has one, otherwise the thing itself."""
    found = resolve(endpoint)
    if isinstance(found, type):
        raise BadReference(f"`{endpoint}` is a class: name a function, or an instance of it")
    for name in ("invoke", "ainvoke"):
        if hasattr(found, name):
            return _callable(f"{endpoint}.{name}", getattr(found, name))
    return _callable(endpoint, found)


def _callable(reference: str, found: Any) -> Callable[..., Any]:
    if not callable(found):
        raise BadReference(f"`{reference}` can't be called: it is of type `{type(found).__name__}`")
    function: Callable[..., Any] = found
    return function


def _said(result: Any) -> str | None:
    """A message of a framework says what it says in its `content`."""
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError("the agent gave back a generator, which is no answer")
    said = getattr(result, "content", result)
    return None if said is None else text(said)
