"""Names of tools and of sessions. They are kept as long as counters are, and compared with what a bundle says."""

from __future__ import annotations

from typing import Any

LONGEST_NAME = 1_000


class NotAName(Exception):
    """What was given names nothing; the message says why."""


def plain_name(given: Any, *, of: str) -> str:
    """As text of no kind of its own, which could change its mind about what it equals."""
    kind = type(given)
    if kind is not str:
        if not issubclass(kind, str):  # `isinstance` would ask the object
            raise NotAName(f"the name of the {of} is not text but {kind.__name__}")
        given = str.__str__(given)
    if len(given) > LONGEST_NAME:
        raise NotAName(f"the name of the {of} has {len(given)} characters; {LONGEST_NAME} is the most")
    name: str = given
    return name
