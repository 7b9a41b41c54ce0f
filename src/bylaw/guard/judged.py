"""A call with what was decided about it."""

from __future__ import annotations

import msgspec

from bylaw.evidence import ToolCall
from bylaw.guard.decision import Decision
from bylaw.guard.request import Request
from bylaw.guard.sessions import Lease


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """`attempts` and `executions` are the session's counters, this call included; 0 where nobody counted.

    There is a `lease` where the call holds places.
    """

    request: Request
    call: ToolCall
    decision: Decision
    lease: Lease | None = None
    attempts: int = 0
    executions: int = 0
