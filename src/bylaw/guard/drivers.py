"""Doing what the pipeline asks for: once blocking, once awaiting."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from typing import Any

from bylaw.guard.decision import Outcome
from bylaw.guard.pipeline import Ask, Count, Execute, Reserve, Settle, Step, Take
from bylaw.guard.sessions import Sessions

Governed = Generator[Step, Any, Outcome]


class NeedsAwait(TypeError):
    """Something asynchronous was met where nothing can be awaited."""


def drive(governed: Governed, tool: Callable[..., Any], sessions: Sessions) -> Outcome:
    """Blocking. A tool or rule that turns out to be asynchronous is an error, and is not left half run."""
    try:
        step = next(governed)
        while True:
            try:
                done = _do(step, tool, sessions)
            except BaseException as error:  # noqa: BLE001 whatever was raised belongs to the pipeline, which raises it again
                step = governed.throw(error)
            else:
                step = governed.send(done)
    except StopIteration as end:
        outcome: Outcome = end.value
        return outcome
    finally:
        governed.close()


def _do(step: Step, tool: Callable[..., Any], sessions: Sessions) -> Any:
    match step:
        case Execute(args):
            return _now(tool(**args))
        case Take(session_id, wanted):
            return sessions.take(session_id, wanted)
        case Reserve(session_id, wanted):
            return sessions.reserve(session_id, wanted)
        case Count(session_id):
            return sessions.counts(session_id)
        case Settle(lease, keep):
            return lease.keep() if keep else lease.give_back()
        case Ask(function, arguments):
            return _now(function(*arguments))


def _now(value: Any) -> Any:
    if inspect.iscoroutine(value):
        value.close()
        raise NeedsAwait("this is asynchronous, and the call is not: use `await guard.run(…)`")
    return value


async def drive_async(governed: Governed, tool: Callable[..., Any], sessions: Sessions) -> Outcome:
    """Awaiting. Cancellation reaches the pipeline as what the step raised, so places are given back."""
    try:
        step = next(governed)
        while True:
            try:
                if type(step) is Execute:
                    done = tool(**step.args)
                    if inspect.isawaitable(done):
                        done = await done
                else:
                    done = await _do_async(step, sessions)
            except BaseException as error:  # noqa: BLE001 whatever was raised belongs to the pipeline, which raises it again
                step = governed.throw(error)
            else:
                step = governed.send(done)
    except StopIteration as end:
        outcome: Outcome = end.value
        return outcome
    finally:
        governed.close()


async def _do_async(step: Step, sessions: Sessions) -> Any:
    match step:
        case Take(session_id, wanted):
            return await sessions.take_async(session_id, wanted)
        case Reserve(session_id, wanted):
            return await sessions.reserve_async(session_id, wanted)
        case Count(session_id):
            return await sessions.counts_async(session_id)
        case Settle(lease, keep):
            return await (lease.keep_async() if keep else lease.give_back_async())
        case Ask(function, arguments):
            said = function(*arguments)
            return await said if inspect.isawaitable(said) else said
        case Execute():
            raise AssertionError("the tool is run by the driver itself")
