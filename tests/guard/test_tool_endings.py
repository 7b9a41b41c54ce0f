"""Every way a tool can end: what the caller gets, whether its place comes back, and what is recorded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from typing import Any

import pytest

from bylaw.guard.audit import AuditEvent, MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.drivers import NeedsAwait, NotOneAnswer
from bylaw.guard.guard import Guard

from .bundles import Call, X, actions, echo, guard_of, last, limit, pre

PLACE, NO_PLACE = "with-a-place", "without"


@pytest.fixture(params=["audited", "not-audited"])
def sink(request: pytest.FixtureRequest) -> MemorySink | None:
    return MemorySink() if request.param == "audited" else None


@pytest.fixture(params=[PLACE, NO_PLACE])
def guard(request: pytest.FixtureRequest, sink: MemorySink | None) -> Guard:
    """The place is the only one there is."""
    rules = [pre("p", X)] + ([limit("l", max_tool_calls=1)] if request.param == PLACE else [])
    return guard_of(*rules, audit_sink=sink, environment=request.param)


def check(guard: Guard, sink: MemorySink | None, *, kept: bool, error: str | None = None) -> None:
    """What is left when the tool has ended."""
    counts = guard.sessions.counts(guard.run_id)
    assert counts == ({"calls": int(kept), "calls:t": int(kept)} if guard.environment == PLACE else {})
    if sink is not None:
        assert actions(sink) == ["CALL_ALLOWED", "CALL_EXECUTED" if kept else "CALL_FAILED"]
        assert (last(sink).tool_success, last(sink).error) == (kept, error)


def raising(error: BaseException) -> Callable[[], Any]:
    def tool() -> None:
        raise error.with_traceback(None)

    return tool


@pytest.mark.parametrize(
    "result", ["text", None, 5, [1], {"a": 1}, b"x", object], ids=lambda value: type(value).__name__
)
def test_a_result_is_given_as_it_is_and_the_place_is_used(
    call: Call, guard: Guard, sink: MemorySink | None, result: Any
) -> None:
    assert call(guard, "t", {}, lambda: result).result is result
    check(guard, sink, kept=True)


ERRORS = [
    LookupError("nothing there"),
    TimeoutError("too late"),
    Denied("an inner guard said no"),
    MemoryError(),
    RecursionError("too deep"),
    ExceptionGroup("two", [ValueError("one"), ValueError("other")]),
    KeyboardInterrupt(),
    SystemExit(3),
    GeneratorExit(),
    asyncio.CancelledError(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_exception_comes_as_it_is_and_the_place_comes_back(
    call: Call, guard: Guard, sink: MemorySink | None, error: BaseException
) -> None:
    with pytest.raises(type(error)) as raised:
        call(guard, "t", {}, raising(error))
    if not isinstance(error, asyncio.CancelledError):  # a loop makes another of it
        assert raised.value is error
    assert "tool" in [entry.name for entry in raised.traceback]
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    check(guard, sink, kept=False, error=said)


def test_the_end_of_an_iterator_is_an_error_like_others_where_nothing_is_awaited(
    guard: Guard, sink: MemorySink | None
) -> None:
    with pytest.raises(StopIteration):
        guard.run_sync("t", {}, raising(StopIteration()))
    check(guard, sink, kept=False, error="StopIteration")


def test_the_end_of_an_iterator_can_t_leave_a_coroutine(guard: Guard, sink: MemorySink | None) -> None:
    """Python makes a RuntimeError of it, and keeps it as the cause."""
    with pytest.raises(RuntimeError) as raised:
        asyncio.run(guard.run("t", {}, raising(StopIteration())))
    assert isinstance(raised.value.__cause__, StopIteration)
    check(guard, sink, kept=False, error="StopIteration")


def test_arguments_that_the_tool_does_not_take_are_an_error_of_the_tool(
    call: Call, guard: Guard, sink: MemorySink | None
) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        call(guard, "t", {"y": 1}, lambda: None)
    if sink is not None:
        assert actions(sink) == ["CALL_ALLOWED", "CALL_FAILED"]


def pieces() -> Iterator[int]:
    yield 1


async def pieces_async() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize("tool", [pieces, pieces_async], ids=["generator", "async-generator"])
def test_a_generator_is_refused(call: Call, guard: Guard, sink: MemorySink | None, tool: Callable[[], Any]) -> None:
    with pytest.raises(NotOneAnswer, match="let it return a list"):
        call(guard, "t", {}, tool)
    error = "NotOneAnswer: this tool gives its answer bit by bit, after it was judged: let it return a list"
    check(guard, sink, kept=False, error=error)


def test_other_things_that_give_pieces_are_answers(call: Call, guard: Guard, sink: MemorySink | None) -> None:
    """Rules on the output see what `str` makes of them."""
    assert list(call(guard, "t", {}, lambda: iter([1, 2])).result) == [1, 2]
    check(guard, sink, kept=True)


class Pause:
    def __await__(self) -> Generator[None, None, None]:
        yield


def test_a_coroutine_where_nothing_is_awaited_is_refused_and_never_begins(
    guard: Guard, sink: MemorySink | None
) -> None:
    began: list[int] = []

    async def tool() -> None:
        began.append(1)

    with pytest.raises(NeedsAwait, match=r"use `await guard\.run\(…\)`"):
        guard.run_sync("t", {}, tool)
    assert began == []
    error = "NeedsAwait: this is asynchronous, and the call is not: use `await guard.run(…)`"
    check(guard, sink, kept=False, error=error)


def test_anything_else_to_be_awaited_is_refused_too(guard: Guard, sink: MemorySink | None) -> None:
    with pytest.raises(NeedsAwait):
        guard.run_sync("t", {}, Pause)
    if sink is not None:
        assert actions(sink) == ["CALL_ALLOWED", "CALL_FAILED"]


def test_a_task_that_is_refused_goes_on_by_itself(guard: Guard) -> None:
    async def agent() -> str:
        begun: list[asyncio.Task[str]] = []

        def tool() -> asyncio.Task[str]:
            begun.append(asyncio.ensure_future(asyncio.sleep(0, "done")))
            return begun[0]

        with pytest.raises(NeedsAwait):
            guard.run_sync("t", {}, tool)
        return await begun[0]

    assert asyncio.run(agent()) == "done"


def test_a_function_that_gives_a_coroutine_is_awaited(guard: Guard, sink: MemorySink | None) -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return "late"

    assert asyncio.run(guard.run("t", {}, lambda: later())) == "late"
    check(guard, sink, kept=True)


async def forever() -> None:
    await asyncio.Event().wait()


async def by_wait_for(running: Coroutine[Any, Any, Any]) -> None:
    await asyncio.wait_for(running, 0.01)


async def by_timeout(running: Coroutine[Any, Any, Any]) -> None:
    async with asyncio.timeout(0.01):
        await running


async def by_cancelling(running: Coroutine[Any, Any, Any]) -> None:
    task = asyncio.ensure_future(running)
    await asyncio.sleep(0)
    task.cancel()
    await task


@pytest.mark.parametrize(
    ("stop", "error"),
    [(by_wait_for, TimeoutError), (by_timeout, TimeoutError), (by_cancelling, asyncio.CancelledError)],
    ids=["wait_for", "timeout", "cancel"],
)
def test_a_tool_that_never_returns_is_stopped_by_its_caller(
    guard: Guard, sink: MemorySink | None, stop: Callable[..., Any], error: type[BaseException]
) -> None:
    with pytest.raises(error):
        asyncio.run(stop(guard.run("t", {}, forever)))
    check(guard, sink, kept=False, error="CancelledError")


def test_a_tool_that_will_not_be_cancelled_has_run(guard: Guard, sink: MemorySink | None) -> None:
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "done all the same"
        raise AssertionError

    async def agent() -> Any:
        task = asyncio.ensure_future(guard.run("t", {}, stubborn))
        await asyncio.sleep(0)
        task.cancel()
        return await task

    assert asyncio.run(agent()) == "done all the same"
    check(guard, sink, kept=True)


def test_a_call_that_is_closed_in_the_midst_of_it(guard: Guard, sink: MemorySink | None) -> None:
    async def tool() -> None:
        await Pause()

    running = guard.run("t", {}, tool)
    running.send(None)
    running.close()
    check(guard, sink, kept=False, error="GeneratorExit")


def test_a_tool_that_blocks_its_thread_holds_its_place_as_long_as_it_does() -> None:
    guard = guard_of(limit("l", max_tool_calls=1))
    began, let_go = threading.Event(), threading.Event()

    def stuck() -> None:
        began.set()
        let_go.wait()

    thread = threading.Thread(target=guard.run_sync, args=("t", {}, stuck))
    thread.start()
    began.wait()
    try:
        with pytest.raises(Denied, match="l is reached"):
            guard.run_sync("t", {}, echo)
    finally:
        let_go.set()
        thread.join()


class Interrupted:
    """A sink that Ctrl-C hits while it is told that the tool failed."""

    def emit(self, event: AuditEvent, /) -> None:
        if event.action == "call_failed":
            raise KeyboardInterrupt

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


def test_an_interruption_while_a_failure_is_recorded_gives_the_place_back(call: Call) -> None:
    guard = guard_of(limit("l", max_tool_calls=1), audit_sink=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        call(guard, "t", {}, raising(LookupError("gone")))
    assert call(guard, "t", {}, echo).result == "echo"
