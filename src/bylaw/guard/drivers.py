"""Doing what the pipeline asks for: once blocking, once awaiting."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Generator
from types import AsyncGeneratorType, GeneratorType
from typing import Any, TypeVar, cast

from bylaw.guard.decision import Outcome
from bylaw.guard.sessions import Sessions
from bylaw.guard.shown import said_by
from bylaw.guard.steps import Ask, Count, Execute, Raised, Reserve, Settle, Step, Take

Governed = Generator[Step, Any, Outcome | None]
Answer = TypeVar("Answer")

log = logging.getLogger("bylaw.guard")
_ORDINARY = frozenset({str, dict, list, type(None), int, bool, float, tuple, bytes})
"""Types of results that there is no need to look at."""


class NeedsAwait(TypeError):
    """Something asynchronous was met where nothing can be awaited."""


class NotOneAnswer(TypeError):
    """A tool gave something that has its answer only later, after the guard has looked at it."""


def drive(governed: Governed, tool: Callable[..., Any], sessions: Sessions) -> Outcome:
    """Blocking. A tool or rule that turns out to be asynchronous is an error, and is not left half run."""
    execute = cast("Execute", walk(governed, None, sessions))
    has_run = False
    try:
        result = tool(**execute.args)
        if type(result) not in _ORDINARY:
            has_run = True
            has_run = not _only_makes(tool, result)
            result = _at_once(_now(result))
    except BaseException as error:
        walk(governed, Raised(error, has_run), sessions)
        raise
    return cast("Outcome", walk(governed, result, sessions))


async def drive_async(governed: Governed, tool: Callable[..., Any], sessions: Sessions) -> Outcome:
    """Awaiting. What ends the tool early, cancellation included, reaches the pipeline before it goes on its way.

    Mostly the first step is to run the tool, and none comes after it: then nothing but the tool is awaited.
    """
    step = governed.send(None)
    execute = cast("Execute", step if type(step) is Execute else await walk_async(governed, step, sessions))
    has_run = False
    try:
        result = tool(**execute.args)
        if type(result) not in _ORDINARY:
            if inspect.isawaitable(result):
                result = await result
                has_run = True
                result = _awaited_once(result)
            else:
                has_run = True
                has_run = not _only_makes(tool, result)
            result = _at_once(result)
    except GeneratorExit as error:
        # The coroutine is being closed, so nothing can be awaited any more.
        walk(governed, Raised(error), sessions)
        raise
    except BaseException as error:
        await _sent_async(governed, Raised(error, has_run), sessions)
        raise
    try:
        step = governed.send(result)
    except StopIteration as end:
        return cast("Outcome", end.value)
    return cast("Outcome", await walk_async(governed, step, sessions))


def walk(steps: Generator[Step, Any, Answer], sent: Any, sessions: Sessions) -> Answer | Execute:
    """Step after step until the tool is to be run, or to the end."""
    try:
        step = steps.send(sent)
        while type(step) is not Execute:
            try:
                done = _do(step, sessions)
            except BaseException as error:  # noqa: BLE001 whatever was raised belongs to the pipeline, which deals with it or raises it again
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as end:
        return cast("Answer", end.value)
    return step


async def _sent_async(steps: Generator[Step, Any, Answer], sent: Any, sessions: Sessions) -> Answer | Execute:
    try:
        step = steps.send(sent)
    except StopIteration as end:
        return cast("Answer", end.value)
    return await walk_async(steps, step, sessions)


async def walk_async(steps: Generator[Step, Any, Answer], step: Step, sessions: Sessions) -> Answer | Execute:
    """As `walk`, from a step on."""
    try:
        while type(step) is not Execute:
            try:
                done = await _do_async(step, sessions)
            except BaseException as error:  # noqa: BLE001 whatever was raised belongs to the pipeline, as above
                step = steps.throw(error)
            else:
                step = steps.send(done)
    except StopIteration as end:
        return cast("Answer", end.value)
    return step


def _do(step: Step, sessions: Sessions) -> Any:
    match step:
        case Take(session_id, wanted):
            return sessions.take(session_id, wanted)
        case Reserve(session_id, wanted):
            return sessions.reserve(session_id, wanted)
        case Count(session_id):
            return sessions.counts(session_id)
        case Ask(function, arguments):
            return _now(function(*arguments))
        case Settle(lease, keep):
            try:
                return lease.keep() if keep else lease.give_back()
            except Exception as error:  # noqa: BLE001 what keeps the counters may be the user's own, and the tool has run
                return _unsettled(error)
        case Execute():
            raise AssertionError("the tool is run by the driver itself")


async def _do_async(step: Step, sessions: Sessions) -> Any:
    match step:
        case Take(session_id, wanted):
            return await sessions.take_async(session_id, wanted)
        case Reserve(session_id, wanted):
            return await sessions.reserve_async(session_id, wanted)
        case Count(session_id):
            return await sessions.counts_async(session_id)
        case Ask(function, arguments):
            said = function(*arguments)
            return await said if inspect.isawaitable(said) else said
        case Settle(lease, keep):
            try:
                return await (lease.keep_async() if keep else lease.give_back_async())
            except Exception as error:  # noqa: BLE001 what keeps the counters may be the user's own, and the tool has run
                return _unsettled(error)
        case Execute():
            raise AssertionError("the tool is run by the driver itself")


def _unsettled(error: Exception) -> None:
    log.error("a call's places in its session could not be settled: %s", said_by(error))


def _now(value: Any) -> Any:
    if type(value) not in _ORDINARY and inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise NeedsAwait("this is asynchronous, and the call is not: use `await guard.run(…)`")
    return value


def _awaited_once(value: Any) -> Any:
    if type(value) not in _ORDINARY and inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise NotOneAnswer("this tool gives something that has to be awaited once more: let it await it itself")
    return value


def _only_makes(tool: Callable[..., Any], result: Any) -> bool:
    """Whether calling the tool did nothing but make what it gave, which has not begun: then it did not run.

    A function that works first and then gives such a thing has run.
    """
    if inspect.iscoroutine(result):
        return _made_by(tool, inspect.iscoroutinefunction)
    if isinstance(result, GeneratorType):
        return _made_by(tool, inspect.isgeneratorfunction)
    return isinstance(result, AsyncGeneratorType) and _made_by(tool, inspect.isasyncgenfunction)


def _made_by(tool: Callable[..., Any], makes: Callable[[Any], bool]) -> bool:
    return makes(tool) or makes(type(tool).__call__)


def _at_once(value: Any) -> Any:
    if isinstance(value, (GeneratorType, AsyncGeneratorType)):
        if isinstance(value, GeneratorType):
            value.close()
        raise NotOneAnswer("this tool gives its answer bit by bit, after it was judged: let it return a list")
    return value
