"""The synchronous way in: owns the event loop, and turns Ctrl-C into a stop that keeps what is finished."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from bylaw import journal
from bylaw.harness.questions import Answerer
from bylaw.harness.stop import Stop
from bylaw.harness.workers import SYSTEM_CLOCK, Clock, run_plan
from bylaw.plan import Plan
from bylaw.verdict import Verdict


def run(
    plan: Plan,
    *,
    jobs: int,
    listen: Sequence[journal.Listener],
    seed: int = 0,
    files: Sequence[str] = (),
    answerers: Mapping[str, Answerer] = {},
    stop: Stop | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> Verdict:
    """`run_plan` for callers without an event loop. An interrupted run returns its verdict, as any other."""
    stop = stop or Stop()
    work = run_plan(
        plan, jobs=jobs, listen=listen, seed=seed, files=files, answerers=answerers, stop=stop, clock=clock
    )
    with _stopped_by_interrupt(stop):
        return asyncio.run(work)


@contextmanager
def _stopped_by_interrupt(stop: Stop) -> Iterator[None]:
    """The first Ctrl-C asks for a stop, the second acts as it did before.

    Only the main thread hears signals; where they are ignored, as in a shell's background job, they stay ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        stop.request("interrupted")

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
