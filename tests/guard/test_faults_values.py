"""Odd values in arguments: numbers at the edge, strange keys, ten megabytes, copies that are none."""

from __future__ import annotations

import math
import socket
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from bylaw.guard.decision import Denied

from .bundles import Call, X, echo, guard_of, last, pre, watched

BIG: int = 10**5000


def fires(call: Call, condition: Mapping[str, Any], value: Any) -> str:
    """`fires`, `passes`, or `breaks` where the rule can't be judged."""
    try:
        call(guard_of(pre("p", {"args.n": condition})), "t", {"n": value}, echo)
    except Denied as denied:
        return "breaks" if denied.reason.startswith("the rule could not be evaluated") else "fires"
    return "passes"


@pytest.mark.parametrize(
    ("condition", "nan", "infinity", "big"),
    [
        ({"gt": 5}, "breaks", "fires", "fires"),
        ({"gte": 5}, "breaks", "fires", "fires"),
        ({"lt": 5}, "breaks", "passes", "passes"),
        ({"lte": 5}, "breaks", "passes", "passes"),
        ({"equals": 5}, "passes", "passes", "passes"),
        ({"not_equals": 5}, "fires", "fires", "fires"),
        ({"in": [5]}, "passes", "passes", "passes"),
        ({"not_in": [5]}, "fires", "fires", "fires"),
        ({"exists": True}, "fires", "fires", "fires"),
        ({"contains": "5"}, "breaks", "breaks", "breaks"),
        ({"matches": "5"}, "breaks", "breaks", "breaks"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_numbers_at_the_edge(call: Call, condition: dict[str, Any], nan: str, infinity: str, big: str) -> None:
    assert [fires(call, condition, value) for value in (math.nan, math.inf, BIG)] == [nan, infinity, big]


def test_numbers_that_json_can_t_hold_are_recorded_in_words(call: Call) -> None:
    guard, sink = watched(pre("p", X))
    call(guard, "t", {"n": math.nan, "i": math.inf, "b": BIG}, echo)
    assert last(sink).tool_args == {"n": "nan", "i": "inf", "b": f"[an integer of {BIG.bit_length()} bits]"}
    assert last(sink).redacted == ("n", "i", "b")


def test_a_message_shows_what_it_can_of_an_enormous_number(call: Call) -> None:
    guard = guard_of(pre("p", {"args.n": {"gt": 5}}, then={"message": "{args.n} is too much"}))
    with pytest.raises(Denied, match=r"can't be shown: ValueError> is too much"):
        call(guard, "t", {"n": BIG}, echo)


def test_selectors_see_only_keys_that_are_text(call: Call) -> None:
    inner = {1: "number", None: "nothing", (1, 2): "pair", "1": "text"}
    guard = guard_of(pre("p", {"args.x.1": {"equals": "number"}}), pre("q", {"args.x.None": {"exists": True}}))
    assert call(guard, "t", {"x": inner}, lambda x: x).result == inner
    with pytest.raises(Denied, match="r says no"):
        call(guard_of(pre("r", {"args.x.1": {"equals": "text"}})), "t", {"x": inner}, echo)


def test_a_socket_can_t_be_copied(call: Call) -> None:
    with socket.socket() as own, pytest.raises(Denied, match="`x` holds a socket that can't be copied"):
        call(guard_of(pre("p", X)), "t", {"x": own}, echo)


@pytest.mark.parametrize("kind", [OrderedDict, UserDict], ids=["OrderedDict", "UserDict"])
def test_an_object_that_contains_itself_is_copied_by_its_own_rules(call: Call, kind: Callable[[], Any]) -> None:
    endless = kind()
    endless["again"] = endless
    guard, sink = watched(pre("p", {"args.x.again.again.word": {"exists": True}}))
    result = call(guard, "t", {"x": endless}, lambda x: x).result
    assert result is not endless
    assert result["again"] is result
    assert last(sink).tool_args == {"x": {"again": "[contains itself]"}}


def test_ten_megabytes_are_judged_whole_and_recorded_in_part(call: Call) -> None:
    guard, sink = watched(
        pre("slow", {"args.x": {"matches": r"(a+)+$"}}), pre("end", {"args.x": {"ends_with": "rm -rf /"}})
    )
    with pytest.raises(Denied, match="end says no"):
        call(guard, "t", {"x": "a" * 10_000_000 + "; rm -rf /"}, echo)
    (cut,) = last(sink).tool_args.values()
    assert len(cut) < 1_100
    assert cut.endswith("[cut: 10000010 characters]")


@pytest.mark.parametrize("view", ["argv", "path"])
def test_a_view_that_would_take_too_long_breaks_its_rule(call: Call, view: str) -> None:
    with pytest.raises(Denied, match="longer than 65536 characters") as raised:
        call(guard_of(pre("p", {f"args.x | {view}": {"equals": "rm"}})), "t", {"x": "a" * 10_000_000}, echo)
    assert raised.value.decision is not None
    assert raised.value.decision.policy_error


def test_half_a_character_is_judged_and_recorded_as_an_escape(call: Call) -> None:
    guard, sink = watched(pre("p", {"args.x": {"starts_with": "a"}}), pre("q", {"args.x": {"matches": "^.$"}}))
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", {"x": "a\udc00"}, echo)
    assert last(sink).tool_args == {"x": "a\\udc00"}
    with pytest.raises(Denied, match="q says no"):
        call(guard, "t", {"x": "\ud800"}, echo)


class LyingDict(dict[str, Any]):
    """Holds one thing and says another."""

    def __getitem__(self, key: str) -> Any:
        return "harmless"

    def get(self, key: str, default: Any = None) -> Any:
        return "harmless"


def test_arguments_that_lie_are_taken_for_what_they_hold(call: Call) -> None:
    guard = guard_of(pre("p", {"args.x": {"equals": "bad"}}))
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", LyingDict(x="bad"), echo)
    assert call(guard, "t", LyingDict(x="good"), lambda x: x).result == "good", "what was judged is what runs"


def test_a_mapping_inside_that_lies_is_judged_by_what_it_says(call: Call) -> None:
    """It is an object of the caller's own: the tool gets it as it is, and the record shows what it holds."""
    guard, sink = watched(pre("p", {"args.x.y": {"equals": "bad"}}))
    given = call(guard, "t", {"x": LyingDict(y="bad")}, lambda x: x).result
    assert (type(given), given["y"], dict(given)) == (LyingDict, "harmless", {"y": "bad"})
    assert last(sink).tool_args == {"x": {"y": "bad"}}


class Growing(list[Any]):
    """Every copy has one more."""

    def __deepcopy__(self, memo: Any) -> Growing:
        return Growing([*self, 1])


def test_an_object_that_is_not_what_it_was_when_copied_is_judged_as_its_copy(call: Call) -> None:
    given = Growing()
    assert call(guard_of(pre("p", X)), "t", {"x": given}, lambda x: len(x)).result == 1
    assert call(watched(pre("p", X))[0], "t", {"x": given}, lambda x: len(x)).result == 2, "a copy of the copy"
    assert given == []


class Appending:
    """Grows the list it stands in while that is copied."""

    def __init__(self, inside: list[Any]) -> None:
        self.inside = inside

    def __deepcopy__(self, memo: Any) -> str:
        self.inside.append(self)
        return "copied"


def test_an_object_that_grows_its_list_while_it_is_copied_comes_to_an_end(call: Call) -> None:
    inside: list[Any] = [1]
    inside.append(Appending(inside))
    assert call(guard_of(pre("p", X)), "t", {"x": inside}, lambda x: x).result == [1, "copied"]


def test_an_argument_that_is_read_only_once_is_read_once(call: Call) -> None:
    class Once(Mapping[str, Any]):
        def __init__(self) -> None:
            self.left = ["x"]

        def __getitem__(self, key: str) -> Any:
            return 2

        def __iter__(self) -> Iterator[str]:
            while self.left:
                yield self.left.pop()

        def __len__(self) -> int:
            return len(self.left)

    assert call(guard_of(pre("p", X)), "t", Once(), lambda x: x).result == 2
