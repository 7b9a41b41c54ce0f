"""Functions under a guard: called as before, and every call is judged by what the function would get."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard

from .bundles import X, actions, guard_of, last, limit, pre, watched


@pytest.fixture
def guard() -> Guard:
    return guard_of(pre("p", X))


def test_a_function_is_judged_under_its_own_name(guard: Guard) -> None:
    @guard.tool
    def t(x: int) -> int:
        return x + 1

    assert t(2) == 3
    with pytest.raises(Denied, match="p says no"):
        t(1)
    with pytest.raises(Denied, match="p says no"):
        t(x=1)


def test_an_asynchronous_function_stays_one(guard: Guard) -> None:
    @guard.tool
    async def t(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    assert inspect.iscoroutinefunction(t)
    assert asyncio.run(t(2)) == 3
    with pytest.raises(Denied, match="p says no"):
        asyncio.run(t(1))


def test_a_function_may_be_called_where_a_loop_is_running(guard: Guard) -> None:
    @guard.tool
    def t(x: int) -> int:
        return x

    async def agent() -> int:
        found: int = t(2)
        return found

    assert asyncio.run(agent()) == 2


def test_a_name_of_another_kind_is_that_of_the_rules(guard: Guard) -> None:
    def t(x: int) -> int:
        return x

    with pytest.raises(Denied, match="p says no"):
        guard.tool(name="t")(lambda x: x)(1)
    assert guard.tool(name="other")(t)(1) == 1


def test_what_is_said_of_calls_goes_with_each() -> None:
    guard, sink = watched(limit("l", max_tool_calls=1))

    def tool() -> None:
        """Nothing to do."""

    t = guard.tool(session_id="s", environment="staging", principal={"role": "lead"})(tool)
    t()
    with pytest.raises(Denied, match="l is reached"):
        t()
    seen = last(sink)
    assert (seen.session_id, seen.environment, seen.principal) == ("s", "staging", {"role": "lead"})


def test_the_function_looks_as_it_did(guard: Guard) -> None:
    def t(x: int, *, y: str = "a") -> int:
        """What it does."""
        return x

    made = guard.tool(t)
    assert (made.__name__, made.__doc__, made.__module__, inspect.unwrap(made)) == ("t", t.__doc__, __name__, t)
    assert inspect.signature(made) == inspect.signature(t)


def test_rules_see_defaults(guard: Guard) -> None:
    @guard.tool
    def t(x: int = 1) -> int:
        return x

    with pytest.raises(Denied, match="p says no"):
        t()
    assert t(2) == 2


def test_rules_see_named_arguments_of_any_name_beside_the_others() -> None:
    guard, sink = watched(pre("p", X))

    @guard.tool
    def t(y: int, **more: Any) -> tuple[int, dict[str, Any]]:
        return y, more

    assert t(1, z=3) == (1, {"z": 3})
    assert last(sink).tool_args == {"y": 1, "z": 3}
    with pytest.raises(Denied, match="p says no"):
        t(y=2, x=1)


def test_what_the_function_gets_is_a_copy(guard: Guard) -> None:
    given = {"a": [1]}

    @guard.tool
    def t(y: Any) -> None:
        y["a"].append(2)

    t(given)
    assert given == {"a": [1]}


def test_arguments_that_do_not_fit_are_the_callers_error_and_no_call() -> None:
    guard, sink = watched(limit("l", max_attempts=1))

    @guard.tool
    def t(x: int) -> int:
        return x

    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        t()  # type: ignore[call-arg]  # that is the point
    assert actions(sink) == []
    assert t(2) == 2


class Shop:
    def __init__(self, stock: int) -> None:
        self.stock = stock

    def t(self, x: int) -> int:
        return self.stock - x

    @classmethod
    def opened(cls, x: int) -> str:
        return f"{cls.__name__} {x}"

    @staticmethod
    def closed(x: int) -> int:
        return x

    def __call__(self, x: int) -> int:
        return self.stock + x


class Waiting:
    async def __call__(self, x: int) -> int:
        await asyncio.sleep(0)
        return x


def test_a_method_is_guarded_on_its_object(guard: Guard) -> None:
    shop = Shop(10)
    sell = guard.tool(shop.t)
    assert sell(3) == 7
    shop.stock = 5
    assert sell(3) == 2, "the object is the same, not a copy"
    with pytest.raises(Denied, match="p says no"):
        sell(1)


def bound_to_the_class() -> Callable[..., Any]:
    return Shop.opened


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (bound_to_the_class(), "Shop 2"),
        (Shop.closed, 2),
        (Shop(10), 12),
        (functools.partial(Shop(10).t), 8),
        (functools.partial(Shop.closed, x=2), 2),
        (lambda x: x, 2),
    ],
    ids=["class-method", "static-method", "callable-object", "partial", "partial-with-a-default", "lambda"],
)
def test_whatever_can_be_called_can_be_guarded(guard: Guard, function: Callable[..., Any], result: Any) -> None:
    made = guard.tool(function, name="t")
    assert made(x=2) == result
    with pytest.raises(Denied, match="p says no"):
        made(x=1)


@pytest.mark.parametrize(
    "function", [Waiting(), functools.partial(Waiting().__call__)], ids=["callable-object", "partial"]
)
def test_whatever_can_be_awaited_is(guard: Guard, function: Callable[..., Any]) -> None:
    made = guard.tool(function, name="t")
    assert asyncio.run(made(x=2)) == 2
    with pytest.raises(Denied, match="p says no"):
        asyncio.run(made(x=1))


def test_a_static_method_in_a_class(guard: Guard) -> None:
    class Desk:
        @staticmethod
        @guard.tool
        def t(x: int) -> int:
            return x

    assert (Desk.t(2), Desk().t(2)) == (2, 2)
    with pytest.raises(Denied, match="p says no"):
        Desk().t(1)


def pieces(x: int) -> Iterator[int]:
    yield x


async def pieces_async(x: int) -> AsyncIterator[int]:
    yield x


class Pieces:
    def __call__(self, x: int) -> Iterator[int]:
        yield x


def by_position(x: int, /) -> int:
    return x


def any_number(*xs: int) -> int:
    return len(xs)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (pieces, "`t` is a generator: .* let it return a list"),
        (pieces_async, "`t` is a generator: .* let it return a list"),
        (functools.partial(pieces), "`t` is a generator"),
        (Pieces(), "`t` is a generator"),
        (by_position, "`t` takes `x` by position only; a guarded tool takes named arguments"),
        (any_number, "`t` takes `xs` by position only"),
        (Shop.t, r"`Shop\.t` is a method that is not bound: guard it on the object, `guard\.tool\(thing\.t\)`"),
        (vars(Shop)["opened"], "`t` is a class method: guard it on the class"),
        (vars(Shop)["closed"], "`t` is a static method: put `@staticmethod` above `@guard.tool`"),
    ],
    ids=[
        "generator",
        "async-generator",
        "partial-of-a-generator",
        "callable-generator",
        "by-position",
        "any-number",
        "unbound-method",
        "class-method",
        "static-method",
    ],
)
def test_what_can_t_be_guarded_is_refused_at_once(guard: Guard, function: Any, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        guard.tool(function, name="t")


@pytest.mark.parametrize("function", [Shop(1), functools.partial(pieces)], ids=["callable-object", "partial"])
def test_what_has_no_name_needs_one(guard: Guard, function: Any) -> None:
    with pytest.raises(TypeError, match=r"has no name of its own: give `name=`"):
        guard.tool(function)


def test_a_guarded_function_ends_as_the_function_does() -> None:
    guard, sink = watched(pre("p", X))

    @guard.tool
    def t(x: int) -> int:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there") as raised:
        t(2)
    assert raised.traceback[-1].name == "t"
    assert actions(sink) == ["CALL_ALLOWED", "CALL_FAILED"]
