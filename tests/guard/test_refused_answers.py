"""A tool whose answer is refused, or kept back, because its text is not all of it."""

from __future__ import annotations

import asyncio
import functools
import io
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec
import pytest

from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.drivers import NeedsAwait, NotOneAnswer
from bylaw.guard.guard import Guard

from .bundles import Call, X, actions, guard_of, last, limit, post, watched

OUTPUT = {"output.text": {"contains": "secret"}}


def one_call() -> tuple[Guard, MemorySink]:
    return watched(limit("l", max_tool_calls=1))


def worked_and_gave(make: Callable[[], Any], ran: list[int]) -> Callable[[], Any]:
    def tool() -> Any:
        ran.append(1)
        return make()

    return tool


def test_a_tool_that_worked_and_gave_a_generator_has_used_its_place(call: Call) -> None:
    guard, sink = one_call()
    ran: list[int] = []
    tool = worked_and_gave(lambda: (each for each in "ab"), ran)
    with pytest.raises(NotOneAnswer):
        call(guard, "t", {}, tool)
    assert actions(sink) == ["CALL_ALLOWED", "CALL_FAILED"]
    assert (last(sink).error or "").startswith("NotOneAnswer")
    assert last(sink).session_execution_count == 1
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, tool)
    assert ran == [1]


def test_a_task_that_goes_on_has_used_its_place() -> None:
    async def agent() -> int:
        guard, _ = one_call()
        done: list[asyncio.Task[None]] = []

        def tool() -> asyncio.Task[None]:
            done.append(asyncio.ensure_future(asyncio.sleep(0)))
            return done[-1]

        with pytest.raises(NeedsAwait):
            guard.run_sync("t", {}, tool)
        with pytest.raises(Denied, match="l is reached"):
            guard.run_sync("t", {}, tool)
        await asyncio.gather(*done)
        return len(done)

    assert asyncio.run(agent()) == 1


def test_a_function_that_worked_and_gave_a_coroutine_has_used_its_place() -> None:
    guard, _ = one_call()
    ran: list[int] = []
    tool = worked_and_gave(lambda: asyncio.sleep(0), ran)
    with pytest.raises(NeedsAwait):
        guard.run_sync("t", {}, tool)
    with pytest.raises(Denied):
        guard.run_sync("t", {}, tool)
    assert ran == [1]


async def later(extra: int = 0) -> None:
    raise AssertionError("it never begins")


class Later:
    async def __call__(self) -> None:
        raise AssertionError("it never begins")


@pytest.mark.parametrize(
    "tool", [later, functools.partial(later, extra=1), Later()], ids=["plain", "partial", "object"]
)
def test_a_coroutine_that_never_began_gives_its_place_back(tool: Any) -> None:
    guard, _ = one_call()
    with pytest.raises(NeedsAwait):
        guard.run_sync("t", {}, tool)
    assert guard.run_sync("t", {}, lambda: "fine") == "fine"


async def gives_a_coroutine() -> Any:
    return later()


async def gives_a_future() -> Any:
    return asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("tool", [gives_a_coroutine, gives_a_future], ids=["coroutine", "future"])
def test_what_has_to_be_awaited_once_more_is_refused(tool: Any) -> None:
    guard, sink = one_call()
    with pytest.raises(NotOneAnswer, match="awaited once more"):
        asyncio.run(guard.run("t", {}, tool))
    assert actions(sink) == ["CALL_ALLOWED", "CALL_FAILED"]
    assert guard.sessions.counts(guard.run_id)["calls"] == 1


class Opaque:
    def __init__(self) -> None:
        self.text = "secret"


@dataclass
class Hidden:
    text: str = field(default="secret", repr=False)


class Liar(str):
    def __str__(self) -> str:
        return "harmless"


STRANGE = [
    iter(["secret"]), map(str, ["secret"]), io.StringIO("secret"), Opaque(), Hidden(), Liar("secret"),
    [Opaque()], {"a": {"b": (Opaque(),)}}, {Opaque(): 1},
]  # fmt: skip


@pytest.mark.parametrize("answer", STRANGE, ids=[f"{type(one).__name__}-{at}" for at, one in enumerate(STRANGE)])
@pytest.mark.parametrize("output", ["withhold", "redact"])
def test_what_need_not_show_all_of_itself_is_kept_from_the_caller(call: Call, answer: Any, output: str) -> None:
    guard, sink = watched(post("w", OUTPUT, then={"output": output}))
    outcome = call(guard, "t", {}, lambda: answer)
    assert isinstance(outcome.result, str)
    assert "secret" not in outcome.result
    assert (outcome.result == "[redacted]") is (output == "redact")
    assert [found.code for found in outcome.warnings] == ["policy_error"]
    assert last(sink).policy_error


def test_a_rule_that_only_warns_is_judged_on_the_text(call: Call) -> None:
    answer = iter(["secret"])
    outcome = call(guard_of(post("w", OUTPUT)), "t", {}, lambda: answer)
    assert outcome.result is answer
    assert outcome.warnings == ()


def test_a_rule_that_does_not_look_at_the_answer_is_judged_as_ever(call: Call) -> None:
    answer = Opaque()
    guard = guard_of(post("w", X, then={"output": "withhold"}))
    assert call(guard, "t", {"x": 2}, lambda x: answer).result is answer
    assert call(guard, "t", {"x": 1}, lambda x: answer).result == "[withheld: w warns]"


def test_an_observed_rule_keeps_nothing_back(call: Call) -> None:
    answer = Opaque()
    guard = guard_of(post("w", OUTPUT, then={"output": "withhold"}, mode="observe"))
    assert call(guard, "t", {}, lambda: answer).result is answer


Point = namedtuple("Point", "x y")


class Colour(Enum):
    red = "red"


class Row(msgspec.Struct):
    name: str


@dataclass
class Record:
    when: date
    cost: Decimal


PLAIN = [
    "text", 5, 1.5, True, None, b"x", [1, "a", None], {"a": [1, (2, 3)]}, {1, 2}, Point(1, 2), Colour.red,
    Row(name="x"), Record(date(2026, 1, 1), Decimal(1)), {"rows": [Row(name="y")]},
]  # fmt: skip


@pytest.mark.parametrize("answer", PLAIN, ids=[f"{type(one).__name__}-{at}" for at, one in enumerate(PLAIN)])
def test_plain_data_is_judged_by_its_text(call: Call, answer: Any) -> None:
    outcome = call(guard_of(post("w", OUTPUT, then={"output": "withhold"})), "t", {}, lambda: answer)
    assert outcome.result is answer
    assert outcome.warnings == ()


class Telltale:
    def __str__(self) -> str:
        raise ValueError("the secret is marmalade")


def test_what_an_answer_says_instead_of_its_text_is_told_to_nobody(call: Call) -> None:
    guard, sink = watched(post("w", OUTPUT, then={"output": "withhold"}))
    outcome = call(guard, "t", {}, Telltale)
    assert "marmalade" not in str(outcome)
    assert "marmalade" not in str(sink.events)
