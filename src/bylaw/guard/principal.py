"""On whose behalf a call is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from bylaw.guard.shown import said_by
from bylaw.guard.snapshot import CannotCopy, snapshot
from bylaw.language.principals import wrong_field


class Principal(msgspec.Struct, frozen=True, dict=True):
    """Who asks. `as_mapping` is what rules see; fields that are not set are absent there."""

    user_id: str | None = None
    service_id: str | None = None
    org_id: str | None = None
    role: str | None = None
    ticket_ref: str | None = None
    claims: Mapping[str, Any] = {}

    def as_mapping(self) -> Mapping[str, Any]:
        return self._mapping

    @cached_property
    def _mapping(self) -> Mapping[str, Any]:
        """Made once: every call asks for it."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return {
            name: _checked(name, value)
            for name, value in fields.items()
            if value is not None and (name != "claims" or value)
        }


Known = Principal | Mapping[str, Any] | None
Resolver = Callable[[str, Mapping[str, Any]], Known | Awaitable[Known]]
"""Finds out who asks, from the tool's name and the arguments."""


class NotAPrincipal(Exception):
    """What was given can't say who asks; the message says why."""


def who_asks(given: Known) -> Mapping[str, Any] | None:
    """What rules see of who asks, in containers that nobody else holds."""
    try:
        if given is None:
            return None
        if isinstance(given, Principal):
            mapping = given.as_mapping()
            return {**mapping, "claims": snapshot(given.claims)} if given.claims else mapping
        if not isinstance(given, Mapping):
            raise NotAPrincipal(f"this is {type(given).__name__}, not a principal")
        return {name: _checked(name, value) for name, value in snapshot(given).items()}
    except NotAPrincipal:
        raise
    except CannotCopy as error:
        raise NotAPrincipal(str(error)) from error
    except Exception as error:
        # An object may raise anything when it is asked what it is; nobody is known then.
        raise NotAPrincipal(said_by(error)) from error


def _checked(name: str, value: Any) -> Any:
    """A field that is misspelt, or of another type, is a rule that looks at nothing. Text is plain text then."""
    wrong = wrong_field(name, value)
    if wrong is not None:
        raise NotAPrincipal(str(wrong))
    return value if value is None or name == "claims" else str.__str__(value)
