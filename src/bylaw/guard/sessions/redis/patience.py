"""Giving up on an answer that does not come, and not on one that nobody had time to read."""

from __future__ import annotations

import asyncio
from types import TracebackType

_PARTS = 5


class Patience:
    """Raises TimeoutError after so many seconds in which the event loop was running.

    While something blocks the loop no answer can be read, so that such a time costs a part of the patience at most.
    """

    def __init__(self, seconds: float) -> None:
        self._part_s = seconds / _PARTS
        self._left = _PARTS
        self._deadline = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        await self._deadline.__aenter__()
        self._timer = asyncio.get_running_loop().call_later(self._part_s, self._part_passed)

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()
        await self._deadline.__aexit__(kind, raised, traceback)

    def _part_passed(self) -> None:
        self._left -= 1
        loop = asyncio.get_running_loop()
        if self._left:
            self._timer = loop.call_later(self._part_s, self._part_passed)
        else:
            self._deadline.reschedule(loop.time())
