"""Which fault hits which call of a trial."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from bylaw.faults.tool import ToolFault

_DRAWS = 2**64


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The fault that fires on a call, if any, and the ids of all that matched it."""

    fault: ToolFault | None = None
    reached: tuple[str, ...] = ()


class Schedule:
    """The faults of one trial, and how many calls each has matched so far.

    Whether a fault fires on a call depends only on the seed, the fault's id and the number of the call among those
    it matches: trials may run in any order and beside each other. Threads of one agent may ask at the same time.
    """

    def __init__(self, faults: Sequence[ToolFault], *, seed: int) -> None:
        self._faults = tuple(faults)
        self._seed = seed
        self._matched: dict[str, int] = {}
        self._reached: dict[str, None] = {}
        self._fired: dict[str, None] = {}
        self._lock = threading.Lock()

    @property
    def reached(self) -> tuple[str, ...]:
        """Ids of the faults that some call has matched, in the order in which it first happened."""
        return tuple(self._reached)

    @property
    def fired(self) -> tuple[str, ...]:
        """Ids of the faults that have fired, in the order in which they first did."""
        return tuple(self._fired)

    def decide(self, tool: str, url: str | None = None) -> Decision:
        """What happens to this call: of several faults that would fire, the first in the file does."""
        matching = [fault for fault in self._faults if fault.matches(tool, url)]
        if not matching:
            return Decision()
        with self._lock:
            firing = [fault for fault in matching if self._due(fault)]
            self._reached.update((fault.id, None) for fault in matching)
            self._fired.update((fault.id, None) for fault in firing[:1])
        return Decision(fault=firing[0] if firing else None, reached=tuple(fault.id for fault in matching))

    def _due(self, fault: ToolFault) -> bool:
        number = self._matched[fault.id] = self._matched.get(fault.id, 0) + 1
        return number > fault.after_calls and self._draw(fault, number) < fault.probability

    def _draw(self, fault: ToolFault, number: int) -> float:
        """From 0 up to, but not including, 1."""
        key = msgspec.json.encode((str(self._seed), fault.id, number))
        return (int.from_bytes(blake2b(key, digest_size=8).digest(), "big") >> 11) / (_DRAWS >> 11)
