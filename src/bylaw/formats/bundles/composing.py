"""Several bundles as one: later files win by contract id, and what replaced what is said."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bylaw.formats.bundles.documents import Bundle, Mode, Post, Pre, Session


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A contract with the mode it has where it stands."""

    contract: Pre | Post | Session
    mode: Mode


class Composed(msgspec.Struct, frozen=True, kw_only=True):
    """Contracts in the order in which they count. `unmatched`: how tools without one are refused, if at all."""

    contracts: tuple[Placed, ...] = ()
    unmatched: Mode | None = None
    said: tuple[str, ...] = ()


def compose(bundles: Sequence[Bundle]) -> Composed:
    placed: dict[str, Placed] = {}
    said: list[str] = []
    for bundle in bundles:
        for contract in bundle.contracts:
            known = placed.get(contract.id)
            if known is not None:
                where = contract.where("id")
                said.append(f"`{contract.id}` of {known.contract.where('id')} is replaced by the one of {where}")
            placed[contract.id] = Placed(contract=contract, mode=contract.mode or bundle.defaults.mode)
    refusing = {bundle.defaults.mode for bundle in bundles if bundle.defaults.unmatched == "deny"}
    return Composed(
        contracts=tuple(placed.values()),
        unmatched="enforce" if "enforce" in refusing else "observe" if refusing else None,
        said=tuple(said),
    )
