"""A fault of a tool, as a scenario configures it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Literal

import msgspec

ToolFaultMode = Literal["timeout", "error", "malformed", "slow", "malicious_response"]
Phase = Literal["before", "after"]

ANY_TOOL = "*"

_USUAL_DELAY_MS: dict[ToolFaultMode, int] = {"timeout": 30_000, "slow": 5_000}


class ToolFault(msgspec.Struct, frozen=True, kw_only=True, tag="tool"):
    """One way a tool misbehaves, and on which of its calls.

    `delay_ms` of None is the mode's own. `after_calls` lets that many matching calls of a trial go past first.
    In phase `after` the tool really runs and its answer is lost.
    """

    id: str
    tool: str
    mode: ToolFaultMode
    error_code: int = 503
    message: str = ""
    delay_ms: int | None = None
    payload: str = ""
    match_url: str | None = None
    probability: float = 1.0
    after_calls: int = 0
    phase: Phase = "before"

    @property
    def delay(self) -> int:
        """Milliseconds."""
        return _USUAL_DELAY_MS.get(self.mode, 0) if self.delay_ms is None else self.delay_ms

    def matches(self, tool: str, url: str | None) -> bool:
        """A fault that names a URL matches no call whose URL is unknown."""
        if self.tool not in (ANY_TOOL, tool):
            return False
        return self.match_url is None or (url is not None and fnmatchcase(url, self.match_url))
