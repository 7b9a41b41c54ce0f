"""Ending a run early: who may ask for it, and which tasks may be cancelled for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bylaw.harness.borders import being_cancelled


class Stop:
    """A request to end a run early. It may come from a listener, another thread or a signal handler."""

    def __init__(self) -> None:
        self.reason = ""
        self._hearers: list[Callable[[], None]] = []

    def request(self, reason: str = "interrupted") -> None:
        if self.reason:
            return
        self.reason = reason
        for hear in tuple(self._hearers):
            hear()

    @contextmanager
    def heard_by(self, hear: Callable[[], None]) -> Iterator[None]:
        """`hear` is called on the thread of whoever asks, or at once if somebody already did."""
        self._hearers.append(hear)
        try:
            if self.reason:
                hear()
            yield
        finally:
            self._hearers.remove(hear)


class Interruptible:
    """The tasks that a stop cancels. One that is cleaning up is not among them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    @contextmanager
    def section(self) -> Iterator[None]:
        """What is done inside counts only if nobody cancelled it, even where foreign code swallowed that."""
        task = asyncio.current_task()
        assert task is not None, "only tasks can be cancelled"
        self._tasks.add(task)
        try:
            yield
            if being_cancelled():
                raise asyncio.CancelledError
        finally:
            self._tasks.remove(task)

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
