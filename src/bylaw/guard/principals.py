"""Those who ask, without their secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bylaw.guard.remembered import Remembered
from bylaw.redaction import Redactor

Who = Mapping[str, Any]
TakenOut = tuple[Who | None, tuple[str, ...]]


class Principals:
    """Somebody who asks once is likely to ask again."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._known: Remembered[Who, TakenOut] = Remembered(1_000)

    def taken_out(self, given: Who | None) -> TakenOut:
        """Who asks as is told of it, and the secrets that are not."""
        if given is None:
            return None, ()
        known = self._known.of(given)
        if known is not None:
            return known
        clean, _, secrets = self._redactor.take_out(given)
        return self._known.keep(given, (clean, secrets))
