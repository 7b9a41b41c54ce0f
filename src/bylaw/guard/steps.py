"""What the pipeline wants done: each step is yielded, and what came of it is sent back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from bylaw.guard.sessions import Lease

Wanted = tuple[tuple[str, int | None], ...]


class Take(msgspec.Struct, frozen=True):
    """Count this attempt. Sent back: `Taken`; thrown: whatever kept it from being counted."""

    session_id: str
    wanted: Wanted


class Reserve(msgspec.Struct, frozen=True):
    """Hold places for this call. Sent back: `Reserved`; thrown: whatever kept it from being counted."""

    session_id: str
    wanted: Wanted


class Count(msgspec.Struct, frozen=True):
    """How a session stands. Sent back: its counters; thrown: whatever kept them from being read."""

    session_id: str


class Settle(msgspec.Struct, frozen=True):
    """Keep the places of a call that ran, or give them back. A keeper that is gone is told, not thrown."""

    lease: Lease
    keep: bool


class Ask(msgspec.Struct, frozen=True):
    """Call a function of the user's, awaiting it where it is asynchronous. Thrown: whatever it raises."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Execute(msgspec.Struct, frozen=True):
    """Run the tool with these arguments. Sent back: its result, or `Raised`; nothing is thrown."""

    args: Mapping[str, Any]


class Raised(msgspec.Struct, frozen=True):
    """What ended the tool without a result; whoever ran it raises it again once the pipeline has dealt with it.

    `has_run` is true where the tool came to its end, and what it gave is refused: the call counts.
    """

    error: BaseException
    has_run: bool = False


Step = Take | Reserve | Count | Settle | Ask | Execute
