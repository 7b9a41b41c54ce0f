"""A rule on a field of an object that is no mapping can't be judged; one on a field of plain JSON is false."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from bylaw.guard.decision import Denied
from bylaw.guard.principal import Principal

from .bundles import Call, echo, guard_of, limit, pre


@dataclass
class Order:
    amount: int = 900


Pair = namedtuple("Pair", "amount other")
OBJECTS = [SimpleNamespace(amount=900), Order(), Pair(900, 1), {"amount"}, b"amount"]
CONDITIONS: list[dict[str, Any]] = [
    {"gt": 500}, {"equals": 900}, {"not_in": [1]}, {"exists": True}, {"exists": False}, {"matches": "9"},
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda condition: "-".join(map(str, condition)))
@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: type(value).__name__)
def test_a_field_of_an_object_breaks_the_rule(call: Call, value: Any, condition: dict[str, Any]) -> None:
    guard = guard_of(pre("p", {"args.order.amount": condition}))
    with pytest.raises(Denied) as raised:
        call(guard, "t", {"order": value}, echo)
    assert raised.value.decision is not None
    assert raised.value.decision.policy_error
    assert f"`amount` can't be looked up in a {type(value).__name__}" in raised.value.reason


@pytest.mark.parametrize(
    "value", ["900", 900, 9.5, True, None, [900], (900,)], ids=lambda value: type(value).__name__
)
def test_a_field_of_plain_json_is_missing(call: Call, value: Any) -> None:
    guard = guard_of(pre("p", {"args.order.amount": {"not_equals": 1}}))
    assert call(guard, "t", {"order": value}, echo).result == "echo"


def test_a_claim_inside_an_object_breaks_the_rule(call: Call) -> None:
    guard = guard_of(pre("p", {"principal.claims.team.name": {"equals": "x"}}))
    with pytest.raises(Denied, match="can't be looked up in a SimpleNamespace"):
        call(guard, "t", {}, echo, principal=Principal(claims={"team": SimpleNamespace(name="y")}))


def test_many_rules_break_alike(call: Call) -> None:
    rules = [pre(f"p{number}", {"args.order.amount": {"contains": f"x{number}"}}) for number in range(70)]
    with pytest.raises(Denied, match="can't be looked up"):
        call(guard_of(*rules), "t", {"order": Order()}, echo)


def test_a_message_keeps_such_a_place_as_it_was_written(call: Call) -> None:
    guard = guard_of(limit("l", max_attempts=1, then={"message": "{args.order.amount} is too much"}))
    call(guard, "t", {"order": Order()}, echo)
    with pytest.raises(Denied) as raised:
        call(guard, "t", {"order": Order()}, echo)
    assert raised.value.reason == "{args.order.amount} is too much"
