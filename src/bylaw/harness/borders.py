"""Where foreign code is called: agents, worlds, answerers, checks. What breaks there is told, and the run goes on."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from bylaw.errors import BylawError
from bylaw.plan import Check
from bylaw.verdict import Finding, Outcome

LONGEST_TRACEBACK = 2000


class Broke(BylawError):
    """Foreign code broke; the message says which part and how."""


def told(problem: BaseException) -> str:
    """What we raise on purpose is worded already; anything else is named by its type."""
    if isinstance(problem, BylawError):
        return str(problem)
    text = str(problem)
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def being_cancelled() -> bool:
    """Whether somebody asked this task to end, whatever the code inside it made of that."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


@contextmanager
def border(words: str) -> Iterator[None]:
    """Turns whatever foreign code raises into `Broke`; only the cancelling of our own task passes."""
    try:
        yield
    # Foreign code may raise anything, exit, or be cancelled from inside: none of it may end the run.
    except (Exception, SystemExit, asyncio.CancelledError) as problem:
        if being_cancelled():
            raise asyncio.CancelledError from problem
        raise Broke(f"{words}: {told(problem)}") from problem


def check_error(check: Check, problem: Exception) -> Finding:
    """A check that raised concluded nothing."""
    return Finding(
        item=check.item,
        outcome=Outcome.error,
        code="check_error",
        reason=told(problem),
        details={"traceback": "".join(traceback.format_exception(problem))[-LONGEST_TRACEBACK:]},
    )
