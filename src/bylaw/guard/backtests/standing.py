"""How a call stands under a policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from bylaw.verdict import Item


class Firing(NamedTuple):
    """A contract that fires on a call. `why` is empty where that is certain, else it says what is not known."""

    item: Item
    why: str = ""


class Doubt(msgspec.Struct, frozen=True, gc=False):
    """A contract of which it is not known whether it fires, and why."""

    contract: str
    why: str


class Standing(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is decided of a call. `allowed` is None where it is not known.

    `doubts` are about contracts that could decide; where the call is denied for certain they leave open by which.
    `observed` and `observed_doubts` are about those that only observe.
    """

    allowed: bool | None = True
    contract: str = ""
    doubts: tuple[Doubt, ...] = ()
    observed: tuple[str, ...] = ()
    observed_doubts: tuple[Doubt, ...] = ()


class Warned(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The contracts that warn of an answer, those that only observe it, and those of which it is not known."""

    warned: tuple[str, ...] = ()
    observed: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


ALLOWED = Standing()
NOT_WARNED = Warned()


def standing(firings: Sequence[Firing]) -> Standing:
    """The first contract that certainly fires decides, unless one before it may."""
    if not firings:
        return ALLOWED
    enforced = [firing for firing in firings if firing.item.binding]
    decides = next((number for number, firing in enumerate(enforced) if not firing.why), None)
    doubts = tuple([Doubt(item.id, why) for item, why in enforced[:decides] if why])
    observed = [firing for firing in firings if not firing.item.binding]
    return Standing(
        allowed=False if decides is not None else None if doubts else True,
        contract="" if decides is None else enforced[decides].item.id,
        doubts=doubts,
        observed=tuple(dict.fromkeys(item.id for item, why in observed if not why)),
        observed_doubts=tuple(dict.fromkeys(Doubt(item.id, why) for item, why in observed if why)),
    )


def warned(firings: Sequence[Firing]) -> Warned:
    if not firings:
        return NOT_WARNED
    return Warned(
        warned=tuple([item.id for item, why in firings if item.binding and not why]),
        observed=tuple([item.id for item, why in firings if not (item.binding or why)]),
        doubts=tuple([Doubt(item.id, why) for item, why in firings if why]),
    )
