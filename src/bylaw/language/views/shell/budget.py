"""How much work one command line may cause, however it is written."""

from __future__ import annotations

from typing import Final

from bylaw.language.views.unreadable import Unreadable

WORK: Final = 60_000
"""Units of some ten microseconds at worst."""

WORD: Final = 1
COMMAND: Final = 8
CHARACTERS: Final = 16
"""So many characters of an expanded text cost one unit."""


class Budget:
    """What is left of the work; one for a command line and everything that is read and run inside it."""

    def __init__(self) -> None:
        self._left = WORK

    def spend(self, units: int) -> None:
        self._left -= units
        if self._left < 0:
            raise Unreadable("the command takes too much work to look through")
