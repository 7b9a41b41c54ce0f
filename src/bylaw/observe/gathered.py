"""What some source came to: observations, and how much of it was of no use and why."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bylaw.observe.observation import Observation


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """`used` counts what the observations were made from: events of a log, files of a pack."""

    observations: tuple[Observation, ...] = ()
    used: int = 0
    skipped: Mapping[str, int] = {}

    @property
    def passed_over(self) -> int:
        return sum(self.skipped.values())
