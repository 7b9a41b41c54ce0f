"""Which session a call belongs to that does not say so itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from bylaw.errors import Misuse
from bylaw.guard.names import NotAName, plain_name
from bylaw.guard.shown import said_by

FindSession = Callable[[], str]
"""Finds out which session this is: the `get` of a `ContextVar`, say."""


def told_session(given: str | FindSession | None, *, default: str) -> tuple[str, FindSession | None]:
    """The session of every call, and the function that finds it out, where there is one."""
    if given is None:
        return default, None
    if callable(given) and not isinstance(given, type):
        if inspect.iscoroutinefunction(given):
            raise Misuse("`session` is asynchronous: a session is found out without waiting")
        return default, given
    try:
        name = plain_name(given, of="session")
    except NotAName as error:
        raise Misuse(f"`session` is its name or a function without arguments: {error}") from error
    if not name:
        raise Misuse("`session` is empty: it is the session's name, or a function without arguments")
    return name, None


class Unknown:
    """Stands for a session that could not be found out; it is no text, so the call is denied."""

    def __init__(self, why: str) -> None:
        self.why = why


def found_by(find: FindSession) -> Any:
    try:
        return find() or Unknown("nothing says which it is")
    except Exception as error:  # noqa: BLE001 who finds out is the user's code: if it raises, no session is known
        return Unknown(said_by(error))
