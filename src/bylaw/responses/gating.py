"""Answers judged on their way to the application."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from bylaw.errors import Misuse
from bylaw.formats.packs.contracts import Applies
from bylaw.responses.answers import Asked, sent
from bylaw.responses.contracts import Contracts
from bylaw.responses.validation import Validation

OnFailure = Literal["raise", "warn"] | Callable[[Validation], object]

_LOG = logging.getLogger("bylaw.responses")
_NOT_LOOKED_AT = Asked()


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """With a function for `on_failure`, what that raises is raised, and otherwise the answer is passed on."""

    contracts: Contracts
    on_failure: OnFailure
    applies: Applies

    @property
    def early(self) -> bool:
        return True

    def asked(self, keywords: Mapping[str, Any], /) -> Asked:
        if _several(sent(keywords).get("n")):
            raise Misuse("of several choices (`n`) none could be judged for all: ask for one")
        if self.contracts.look_at_requests or self.applies == "offered":
            return Asked.of(keywords)
        return _NOT_LOOKED_AT

    def answered(self, asked: Asked, answer: Any, /) -> None:
        self._decide(self.contracts.judged(answer, asked, self.applies))

    def spoiled(self, asked: Asked, why: str, /) -> None:
        self._decide(self.contracts.unread(why, asked))

    def _decide(self, validation: Validation) -> None:
        if validation.ok:
            return
        if callable(self.on_failure):
            self.on_failure(validation)
        elif self.on_failure == "raise":
            validation.raise_for_failure()
        else:
            _LOG.warning("an answer fails its contracts:\n%s", "\n".join(map(str, validation.failures)))

    def unseen(self, road: str, /) -> None:
        raise Misuse(f"answers that come by `{road}` pass no gate; take the client itself for them")


def _several(asked: Any) -> bool:
    """A number in any spelling that a server could take for one."""
    try:
        return isinstance(asked, int | float | str) and float(asked) > 1
    except ValueError:
        return False
