"""Two bundles compared contract by contract, and whether that lets more through or less.

A direction is named only where the files alone show it. All else is called changed; what it does to real calls is for
a backtest to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal

import msgspec

from bylaw.formats.bundles.composing import Composed, Placed
from bylaw.formats.bundles.documents import Condition, Post, Pre, Session
from bylaw.formats.bundles.openings import all_named, opened, refuses_unnamed
from bylaw.formats.bundles.strictness import (
    Direction,
    condition_direction,
    limits_direction,
    output_direction,
    targets_direction,
)
from bylaw.language.expressions import Combined
from bylaw.language.spelling import alternatives, spell

Parts = tuple[str, ...]
OPENED, SHUT = "tools no longer refused", "tools refused from now on"
"""Where tools that no contract names are refused: those that this one is the first, or was the last, to name."""


class FieldChange(msgspec.Struct, frozen=True, kw_only=True):
    """One field, in parts: the alternatives of a condition, the limits of a session, or all of it as one.

    Where no part is gone and none is new, they stand in another order. `direction` is None for a field that decides
    nothing.
    """

    field: str
    gone: tuple[str, ...]
    new: tuple[str, ...]
    direction: Direction | None = None


class ContractChange(msgspec.Struct, frozen=True, kw_only=True):
    """`where` is the contract's place in the new file, or in the old one if it is gone from the new."""

    id: str
    what: Literal["added", "removed", "changed"]
    direction: Direction
    where: str
    fields: tuple[FieldChange, ...] = ()


class Differences(msgspec.Struct, frozen=True, kw_only=True):
    """`moved` are contracts that stand at another place among those both files have: the first denial decides."""

    contracts: tuple[ContractChange, ...] = ()
    defaults: tuple[FieldChange, ...] = ()
    moved: tuple[str, ...] = ()
    same: int = 0

    @property
    def none(self) -> bool:
        return not (self.contracts or self.defaults or self.moved)


def compare_bundles(old: Composed, new: Composed) -> Differences:
    before = {placed.contract.id: placed for placed in old.contracts}
    after = {placed.contract.id: placed for placed in new.contracts}
    watched = refuses_unnamed(old, new)
    found = [
        _gone(placed, opened(placed, new) if watched else ()) for name, placed in before.items() if name not in after
    ]
    for name, placed in after.items():
        opens = opened(placed, old) if watched else ()
        shuts = opened(before[name], new) if watched and name in before else ()
        change = _changed(before[name], placed, opens, shuts) if name in before else _new(placed, opens)
        found += [] if change is None else [change]
    return Differences(
        contracts=tuple(found),
        defaults=tuple(_defaults(old, new)),
        moved=_moved([name for name in before if name in after], [name for name in after if name in before]),
        same=len(after) - sum(change.what != "removed" for change in found),
    )


def _gone(placed: Placed, shuts: Parts) -> ContractChange:
    """Tools that nothing names any more are refused altogether."""
    contract = placed.contract
    only_shuts = bool(shuts) and shuts == all_named(contract)
    return ContractChange(
        id=contract.id,
        what="removed",
        direction="tightened" if only_shuts else "loosened" if _decides(placed) else "changed",
        where=str(contract.where("id")),
        fields=tuple(_openings((), shuts)),
    )


def _new(placed: Placed, opens: Parts) -> ContractChange:
    return ContractChange(
        id=placed.contract.id,
        what="added",
        direction="loosened" if opens else "tightened" if _decides(placed) else "changed",
        where=str(placed.contract.where("id")),
        fields=tuple(_openings(opens, ())),
    )


def _openings(opens: Parts, shuts: Parts) -> Iterator[FieldChange]:
    if opens:
        yield FieldChange(field=OPENED, gone=(), new=opens, direction="loosened")
    if shuts:
        yield FieldChange(field=SHUT, gone=(), new=shuts, direction="tightened")


def _changed(old: Placed, new: Placed, opens: Parts, shuts: Parts) -> ContractChange | None:
    fields = tuple(_fields(old, new))
    if not fields:
        return None
    fields += tuple(_openings(opens, shuts))
    return ContractChange(
        id=new.contract.id,
        what="changed",
        direction="loosened" if opens else _overall(old, new, fields),
        where=str(new.contract.where("id")),
        fields=fields,
    )


def _decides(placed: Placed) -> bool:
    """What only observes, or is not enabled, lets everything through anyway."""
    return placed.contract.enabled and placed.mode == "enforce"


def _overall(old: Placed, new: Placed, fields: Sequence[FieldChange]) -> Direction:
    if _decides(old) != _decides(new):
        return "tightened" if _decides(new) else "loosened"
    directions = {change.direction for change in fields if change.direction is not None}
    if not _decides(new) or len(directions) != 1:
        return "changed"
    return directions.pop()


def _fields(old: Placed, new: Placed) -> Iterator[FieldChange]:
    before, after = _written(old), _written(new)
    for field in dict.fromkeys((*before, *after)):
        was, now = before.get(field, ()), after.get(field, ())
        if was != now:
            was, now = _conditions(old, new) if field == "condition" else (was, now)
            yield _field(field, was, now, _direction(field, old, new))


def _field(name: str, old: Parts, new: Parts, direction: Direction | None) -> FieldChange:
    gone = tuple(part for part in old if part not in new)
    return FieldChange(field=name, gone=gone, new=tuple(part for part in new if part not in old), direction=direction)


def _written(placed: Placed) -> dict[str, Parts]:
    """Every field of a contract that a change can be in, as text; nothing where it is not given."""
    contract, then = placed.contract, placed.contract.then
    found: dict[str, Parts] = {
        "type": (contract.type,),
        "enabled": (str(contract.enabled).lower(),),
        "mode": (placed.mode,),
        "effect": (then.effect,),
        "message": (then.message,),
        "tags": then.tags,
        "metadata": tuple(f"{key}: {_json(value)}" for key, value in then.metadata.items()),
        "output": () if then.output is None else (then.output,),
    }
    if isinstance(contract, Session):
        return found | {"limits": tuple(_said_limits(contract))}
    return found | {
        "tools": contract.targets,
        "condition": (spell(contract.when),),
        "examples": tuple(_json(_example(key, example)) for key, example in contract.cases()),
    }


def _conditions(old: Placed, new: Placed) -> tuple[Parts, Parts]:
    """In parts where both are joined in the same way, each as a whole where they are not."""
    before, after = (
        placed.contract.when if isinstance(placed.contract, Pre | Post) else None for placed in (old, new)
    )
    if before is None or after is None:
        return (() if before is None else (spell(before),)), (() if after is None else (spell(after),))
    if isinstance(before, Combined) and isinstance(after, Combined) and before.how == after.how == "all":
        return tuple(map(spell, before.parts)), tuple(map(spell, after.parts))
    if any(isinstance(when, Combined) and when.how == "all" for when in (before, after)):
        return (spell(before),), (spell(after),)
    return alternatives(before), alternatives(after)


def _example(key: str, example: Any) -> dict[str, Any]:
    fields = ("tool", "args", "environment", "principal", "output")
    return {"expect": key, **{field: getattr(example, field) for field in fields}}


def _said_limits(contract: Session) -> Iterator[str]:
    limits = contract.limits
    for name, most in (("max_attempts", limits.max_attempts), ("max_tool_calls", limits.max_tool_calls)):
        if most is not None:
            yield f"{name}: {most}"
    yield from (f"max_calls_per_tool.{tool}: {most}" for tool, most in limits.max_calls_per_tool.items())


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _direction(field: str, old: Placed, new: Placed) -> Direction | None:
    """None for what is only said, not enforced."""
    before, after = old.contract, new.contract
    match field:
        case "type" | "effect":
            return "changed"
        case "mode" | "enabled" if _decides(old) == _decides(new):
            return "changed"
        case "mode" | "enabled":
            return "tightened" if _decides(new) else "loosened"
        case _ if type(before) is not type(after):
            return None
        case "limits" if isinstance(before, Session) and isinstance(after, Session):
            return limits_direction(before.limits, after.limits)
        case "tools" if isinstance(before, Condition) and isinstance(after, Condition):
            return targets_direction(before.targets, after.targets)
        case "condition" if isinstance(before, Pre | Post) and isinstance(after, Pre | Post):
            return condition_direction(before.when, after.when)
        case "output":
            return output_direction(before.then.output, after.then.output)
        case _:
            return None


def _defaults(old: Composed, new: Composed) -> Iterator[FieldChange]:
    """`defaults.mode` shows in the contracts; what happens to tools that none names shows nowhere else."""
    if old.unmatched != new.unmatched:
        enforced = (old.unmatched == "enforce", new.unmatched == "enforce")
        was, now = (_said_unmatched(old),), (_said_unmatched(new),)
        yield _field("defaults.unmatched", was, now, _TURNED.get(enforced, "changed"))


_TURNED: dict[tuple[bool, bool], Direction] = {(True, False): "loosened", (False, True): "tightened"}


def _said_unmatched(composed: Composed) -> str:
    match composed.unmatched:
        case None:
            return "allow"
        case "enforce":
            return "deny"
        case "observe":
            return "deny, observed"


def _moved(old: list[str], new: list[str]) -> tuple[str, ...]:
    matched = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    stayed = {name for block in matched for name in new[block.b : block.b + block.size]}
    return tuple(name for name in new if name not in stayed)
