"""Calls of Python callables: recorded as evidence, and hit by the faults of a trial."""

from __future__ import annotations

import inspect
import threading
from asyncio import sleep as sleep_async
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter, sleep
from types import TracebackType
from typing import Any

import msgspec

from bylaw.evidence import Answer, ToolCall
from bylaw.faults import Consequence, Phase, Schedule, ToolFault, consequence
from bylaw.interpose.plain import named, text

Note = Callable[[int, ToolCall, tuple[str, ...]], None]
"""Told of each call twice, by its number: when it begins, without an answer, and when it ends.

The last argument has the ids of the faults that the call reached.
"""

_UNTOUCHED = Consequence(calls_through=True)


class ToolFaultError(RuntimeError):
    """What an agent meets when a fault makes a tool fail."""


class Recorder:
    """The calls of one trial. Threads may call at the same time; calls are in the order in which they began."""

    def __init__(self, schedule: Schedule, *, note: Note = lambda _number, _call, _reached: None) -> None:
        self.schedule = schedule
        self._note = note
        self._calls: list[ToolCall] = []
        self._lock = threading.Lock()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """A call that has not ended has no answer."""
        return tuple(self._calls)

    def call(self, tool: str, args: Mapping[str, Any], perform: Callable[[], Any]) -> Any:
        """What the tool, or the fault in its way, gives back or raises."""
        with self._begin(tool, args) as call:
            result = None
            if seconds := call.pause("before"):
                sleep(seconds)
            if call.effect.calls_through:
                try:
                    result = perform()
                except Exception:  # a failure of the tool's own is lost as any other answer is
                    if not call.effect.loses_the_answer:
                        raise
            if seconds := call.pause("after"):
                sleep(seconds)
            return call.given(result)

    async def call_async(self, tool: str, args: Mapping[str, Any], perform: Callable[[], Awaitable[Any]]) -> Any:
        """The same for a tool that is awaited."""
        with self._begin(tool, args) as call:
            result = None
            if seconds := call.pause("before"):
                await sleep_async(seconds)
            if call.effect.calls_through:
                try:
                    result = await perform()
                except Exception:  # a failure of the tool's own is lost as any other answer is
                    if not call.effect.loses_the_answer:
                        raise
            if seconds := call.pause("after"):
                await sleep_async(seconds)
            return call.given(result)

    def _begin(self, tool: str, args: Mapping[str, Any]) -> _Call:
        url = args.get("url")
        decision = self.schedule.decide(tool, url if isinstance(url, str) else None)
        fired = () if decision.fault is None else (decision.fault.id,)
        begun = ToolCall(tool=tool, args=args, faults=fired)
        with self._lock:
            number = len(self._calls)
            self._calls.append(begun)
        self._note(number, begun, decision.reached)

        def end(answer: Answer) -> None:
            ended = self._calls[number] = msgspec.structs.replace(begun, answer=answer)
            self._note(number, ended, decision.reached)

        return _Call(decision.fault, end)


class _Call:
    """One call under way. Left with an exception it ends with that, otherwise with what was given."""

    def __init__(self, fault: ToolFault | None, end: Callable[[Answer], None]) -> None:
        self.effect = _UNTOUCHED if fault is None else consequence(fault)
        self._exception = TimeoutError if fault is not None and fault.mode == "timeout" else ToolFaultError
        self._end = end
        self._text: str | None = None
        self._began = perf_counter()

    def pause(self, phase: Phase) -> float:
        """Seconds to wait at this point."""
        return self.effect.delay_ms / 1000 if self.effect.phase == phase else 0.0

    def given(self, result: Any) -> Any:
        if self.effect.raises is not None:
            raise self._exception(self.effect.raises)
        if self.effect.answers is not None:
            result = self.effect.answers
        self._text = _said(result)
        return result

    def __enter__(self) -> _Call:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        ms = (perf_counter() - self._began) * 1000
        if problem is None:
            self._end(Answer(text=self._text, ms=ms))
        else:
            self._end(Answer(raised=named(problem), ms=ms))


def _said(result: Any) -> str | None:
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        return "<generator>"
    return None if result is None else text(result)
