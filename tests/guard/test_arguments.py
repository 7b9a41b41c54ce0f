"""What was judged is what the tool gets, whatever the arguments are and whoever changes them meanwhile."""

from __future__ import annotations

import asyncio
import copy
import math
import threading
from collections import OrderedDict, UserDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum, StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw.guard.decision import Denied
from bylaw.guard.python_rules import HookRegistration
from bylaw.guard.snapshot import DEEPEST, MOST_VALUES, CannotCopy, snapshot

from .bundles import ALWAYS, Call, X, actions, echo, guard_of, last, limit, post, pre, watched


def test_a_caller_that_changes_its_arguments_meanwhile_changes_nothing() -> None:
    async def main() -> None:
        args: dict[str, Any] = {"x": 2, "inner": {"list": [1, {"deep": "safe"}]}}
        got: list[Any] = []

        async def slow(_: Any) -> None:
            for _ in range(3):
                await asyncio.sleep(0)

        async def tool(**given: Any) -> None:
            await asyncio.sleep(0)
            got.append(copy.deepcopy(given))

        guard = guard_of(
            pre("p", {"any": [X, {"args.inner.list": {"equals": "never"}}]}),
            hooks=[HookRegistration("before", "*", slow)],
        )
        running = asyncio.create_task(guard.run("t", args, tool))
        await asyncio.sleep(0)
        args["x"] = 1
        args["inner"]["list"][1]["deep"] = "changed"
        args["more"] = True
        await running
        assert got == [{"x": 2, "inner": {"list": [1, {"deep": "safe"}]}}]

    asyncio.run(main())


def test_a_thread_that_changes_them_all_the_time_changes_nothing() -> None:
    """Rules look twice: a value that changed in between would be seen as both, or as neither."""
    args: dict[str, Any] = {"x": 1, "inner": {"y": [1]}}
    guard = guard_of(pre("p", {"all": [{"args.x": {"equals": 1}}, {"args.x": {"equals": 2}}]}), post("w", ALWAYS))
    done, refused = threading.Event(), set()

    def change() -> None:
        number = 0
        while not done.is_set():
            number += 1
            args["x"] = args["inner"]["y"][0] = number % 2 + 1
            args[f"k{number % 5}"] = number
            args.pop(f"k{(number + 2) % 5}", None)

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(300):
            try:
                result = guard.run_sync("t", args, lambda **given: (given["x"], given["inner"]["y"][0]))
            except Denied as denied:
                refused.add(denied.decision_source)
            else:
                assert set(result) <= {1, 2}
    finally:
        done.set()
        changing.join()
    assert refused <= {"arguments"}


def test_a_tool_that_changes_its_arguments_changes_nothing_that_is_judged_or_recorded(call: Call) -> None:
    def tool(x: int, deep: dict[str, list[int]]) -> None:
        deep["list"].append(1)
        deep["new"] = [2]

    guard, sink = watched(post("w", {"args.deep.new": {"exists": True}}))
    args = {"x": 1, "deep": {"list": []}}
    assert call(guard, "t", args, tool).warnings == ()
    assert [event.tool_args for event in sink.events] == [{"x": 1, "deep": {"list": []}}] * 2
    assert args == {"x": 1, "deep": {"list": []}}


def endless() -> Any:
    inner: list[Any] = []
    inner.append({"again": inner})
    return inner


def wide() -> Any:
    """Few lists that stand for 2 ** 21 values."""
    inner: Any = []
    for _ in range(21):
        inner = [inner, inner]
    return inner


def deep(levels: int) -> Any:
    inner: Any = 1
    for _ in range(levels):
        inner = [inner] if isinstance(inner, dict) else {"a": inner}
    return inner


class Uncopyable:
    def __deepcopy__(self, memo: Any) -> Any:
        raise RuntimeError("one of a kind")


class Unreadable(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError("gone")

    def __iter__(self) -> Iterator[str]:
        yield "x"

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"x": endless()}, f"`x` is nested more than {DEEPEST} levels deep, or contains itself"),
        ({"x": deep(DEEPEST + 2)}, f"`x` is nested more than {DEEPEST} levels deep"),
        ({"x": wide()}, f"`x` holds more than {MOST_VALUES} values"),
        ({"x": [0] * (MOST_VALUES + 1)}, f"`x` holds more than {MOST_VALUES} values"),
        ({"x": threading.Lock()}, "`x` holds a lock that can't be copied: TypeError: cannot pickle"),
        ({"x": {"y": (each for each in "ab")}}, "`x` holds a generator that can't be copied"),
        ({"x": [Uncopyable()]}, "`x` holds a Uncopyable that can't be copied: RuntimeError: one of a kind"),
        ({"x": {frozenset({1}): 2}}, "`x` has a key that is a frozenset"),
        ({5: "x"}, "the argument name 5 is not text"),
        ({None: "x"}, "the argument name None is not text"),
        (["x"], "they are list, not a mapping"),
        (None, "they are NoneType, not a mapping"),
        ("x=1", "they are str, not a mapping"),
        (Unreadable(), "OSError: gone"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_arguments_that_can_t_be_copied_are_denied(call: Call, args: Any, why: str) -> None:
    guard, sink = watched(pre("p", X))
    with pytest.raises(Denied) as raised:
        call(guard, "t", args, echo)
    assert raised.value.reason.startswith("the arguments can't be judged: ")
    assert why in raised.value.reason
    assert (raised.value.decision_source, raised.value.decision_name) == ("arguments", "arguments")
    assert (actions(sink), last(sink).policy_error, last(sink).tool_args) == (["CALL_DENIED"], True, {})


def test_arguments_that_can_t_be_copied_are_an_attempt(call: Call) -> None:
    guard = guard_of(limit("l", max_attempts=2))
    for _ in range(2):
        with pytest.raises(Denied, match="can't be judged"):
            call(guard, "t", {"x": endless()}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)


class Colour(StrEnum):
    red = "RED"


class Size(Enum):
    small = 1


class Point:
    def __init__(self, x: int) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and other.x == self.x

    __hash__ = None  # type: ignore[assignment]  # it can change


@pytest.mark.parametrize(
    "value",
    [
        math.inf,
        "x" * 10_000_000,
        b"\xff" * 1000,
        "\ud800 half a character",
        10**1000,
        {1: "a", 2.5: "b", None: "c", False: "d", (1, ("a",)): "e"},
        {Colour.red: 1, Size.small: 2},
        (1, [2, (3,)], {4, 5}, frozenset({6})),
        Colour.red,
        Size.small,
        Path("a/b"),
        Point(3),
        OrderedDict(a=[1]),
        UserDict({"a": 1}),
        bytearray(b"x"),
        deep(DEEPEST - 1),
        print,
        int,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_can_be_copied_reaches_the_tool_as_it_is(call: Call, value: Any) -> None:
    guard, _ = watched(pre("p", {"args.other": {"contains": "x"}}), post("w", {"output.text": {"contains": "zzz"}}))
    result = call(guard, "t", {"x": value}, lambda x: x).result
    assert (type(result), result) == (type(value), value)
    if isinstance(value, dict | Point | UserDict | bytearray):
        assert result is not value


def test_not_a_number_reaches_the_tool_and_breaks_a_comparison_of_numbers(call: Call) -> None:
    guard = guard_of(pre("p", {"args.n": {"gt": 5}}))
    assert math.isnan(call(guard, "t", {"x": math.nan}, lambda x: x).result)
    with pytest.raises(Denied, match=r"`gt` has no meaning for `args\.n`, which is a number"):
        call(guard, "t", {"n": math.nan}, echo)


def test_a_long_text_is_judged_whole(call: Call) -> None:
    guard = guard_of(pre("p", {"args.x": {"matches": r"\bsecret$"}}))
    call(guard, "t", {"x": "a" * 10_000_000}, echo)
    with pytest.raises(Denied):
        call(guard, "t", {"x": "a " * 5_000_000 + "secret"}, echo)


def test_mappings_of_other_kinds_are_arguments_too(call: Call) -> None:
    guard = guard_of(pre("p", X))
    assert call(guard, "t", MappingProxyType({"x": 2}), lambda x: x).result == 2
    assert call(guard, "t", UserDict({"x": 2}), lambda x: x).result == 2
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", OrderedDict(x=1), echo)


class Disguised(str):
    """Text that equals nothing."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = str.__hash__


def test_a_name_in_disguise_is_seen(call: Call) -> None:
    guard = guard_of(pre("p", X))
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", {Disguised("x"): 1}, echo)


class Shy(Mapping[str, Any]):
    """Raises when it is looked at, but can be copied."""

    def __getitem__(self, key: str) -> Any:
        raise OSError("don't look")

    def __iter__(self) -> Iterator[str]:
        raise OSError("don't look")

    def __len__(self) -> int:
        return 1

    def __deepcopy__(self, memo: Any) -> Shy:
        return Shy()


@pytest.mark.parametrize("many", [1, 20])
def test_an_argument_that_raises_when_it_is_looked_at_breaks_the_rules_that_do(call: Call, many: int) -> None:
    rules = [pre(f"p{number}", {"args.x.y": {"contains": f"word{number}"}}) for number in range(many)]
    guard, sink = watched(*rules, pre("other", {"args.z": {"equals": 1}}))
    with pytest.raises(Denied, match="don't look"):
        call(guard, "t", {"x": Shy()}, echo)
    assert [each.policy_error for each in last(sink).contracts_evaluated] == [True] * many + [False]
    assert last(sink).policy_error


class Moody(str):
    __slots__ = ()

    def __contains__(self, other: object) -> bool:
        raise Grumpy


class Grumpy(Exception):
    def __str__(self) -> str:
        raise ValueError("not even that")


def test_an_argument_that_raises_what_can_t_be_shown_is_denied(call: Call) -> None:
    guard, sink = watched(pre("p", {"args.x": {"contains": "a"}}), pre("q", {"args.x": {"equals": "b"}}))
    with pytest.raises(Denied, match="the rule could not be evaluated"):
        call(guard, "t", {"x": Moody("a")}, echo)
    assert [each.policy_error for each in last(sink).contracts_evaluated] == [True, False]
    outcome = call(guard_of(post("w", {"args.x": {"contains": "a"}})), "t", {"x": Moody("a")}, echo)
    assert [found.code for found in outcome.warnings] == ["policy_error"]


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


def containers(value: Any) -> Iterator[int]:
    if isinstance(value, dict | list | tuple):
        if not isinstance(value, tuple):
            yield id(value)
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(), plain))
def test_a_snapshot_is_equal_and_shares_no_container(args: dict[str, Any]) -> None:
    ours = snapshot(args)
    assert repr(ours) == repr(args)
    assert not set(containers(ours)) & set(containers(args))


@settings(max_examples=100, deadline=None)
@given(st.recursive(st.just(0), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=200))
def test_a_snapshot_never_raises_anything_else(value: Any) -> None:
    for _ in range(60):
        value = [value]
    with suppress(CannotCopy):  # it is nested too deep
        snapshot({"x": value})
