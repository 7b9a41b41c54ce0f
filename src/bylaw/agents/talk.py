"""One trial, as talked through with a worker."""

from __future__ import annotations

import asyncio
from typing import Literal

import msgspec

from bylaw.agents.frames import Answered, Begun, Called, Done, Frame, NotAFrame, Ready, TooLarge, Unusable, Work
from bylaw.agents.workers import Gone, RunningWorker
from bylaw.evidence import Evidence, ToolCall

IMPORTING_S = 120.0
RESETTING_S = 30.0

_Doing = Literal["importing", "resetting", "running"]


class Talk:
    """One trial with one worker, and what was seen of it by whatever time it ended."""

    def __init__(self, worker: RunningWorker, endpoint: str, *, timeout_s: float) -> None:
        self.at_an_end = False
        self._worker = worker
        self._endpoint = endpoint
        self._seconds: dict[_Doing, float] = {
            "importing": IMPORTING_S,
            "resetting": max(RESETTING_S, timeout_s),
            "running": timeout_s,
        }
        self._doing: _Doing = "importing"
        self._began = asyncio.get_running_loop().time()
        self._calls: dict[int, ToolCall] = {}
        self._reached: dict[str, None] = {}
        self._fired: dict[str, None] = {}

    async def hold(self, work: Work, *, greeted: bool) -> Done:
        """How the trial ended, whatever came in between; only being cancelled is raised."""
        try:
            async with asyncio.timeout(IMPORTING_S) as self._clock:
                return await self._whole(work, greeted=greeted)
        except TimeoutError:
            return self._out_of_time()
        except Gone as how:
            return self._broken_off(str(how))
        except NotAFrame as what:
            return self._nonsense(what)
        except TooLarge as why:
            return Done(error=f"the prompt can't be passed on: {why}")

    def evidence(self, done: Done, *, closed: tuple[str, ...]) -> Evidence:
        return Evidence(
            events=tuple(self._calls.values()),
            output=done.output,
            failure=done.failure,
            error=done.error,
            ms=done.ms,
            reached=tuple(self._reached),
            fired=tuple(self._fired),
            closed=closed,
        )

    async def _whole(self, work: Work, *, greeted: bool) -> Done:
        if not greeted:
            match await self._worker.next():
                case Unusable(error=why):
                    return Done(error=why)
                case Ready(tools=tools):
                    self._worker.tools = tools
                case frame:
                    raise _out_of_turn(frame)
        self._go_on("resetting")
        await self._worker.send(work)
        match await self._worker.next():
            case Begun():
                self._go_on("running")
            case Done() as done:
                self.at_an_end = True
                return done
            case frame:
                raise _out_of_turn(frame)
        end = None
        while end is None:
            end = self._take(await self._worker.next())
        return end

    def _go_on(self, doing: _Doing) -> None:
        self._doing = doing
        self._began = asyncio.get_running_loop().time()
        self._clock.reschedule(self._began + self._seconds[doing])

    def _take(self, frame: Frame) -> Done | None:
        match frame:
            case Called(number=number, call=call, reached=reached):
                self._calls[number] = call
                self._reached.update(dict.fromkeys(reached))
                self._fired.update(dict.fromkeys(call.faults))
                return None
            case Answered(number=number, answer=answer) if number in self._calls:
                self._calls[number] = msgspec.structs.replace(self._calls[number], answer=answer)
                return None
            case Done():
                self.at_an_end = True
                return frame
            case _:
                raise _out_of_turn(frame)

    def _out_of_time(self) -> Done:
        """An answer that was on its way when time ran out still counts."""
        if self._doing == "running":
            try:
                for frame in self._worker.come_by_now():
                    done = self._take(frame)
                    if done is not None:
                        return done
            except NotAFrame as what:
                return self._nonsense(what)
        return self._broken_off(f"timed out after {round(self._seconds[self._doing] * 1000)} ms")

    def _nonsense(self, what: NotAFrame) -> Done:
        return self._broken_off(f"the agent's process sent what no worker sends: {what}")

    def _broken_off(self, how: str) -> Done:
        """What ends while the agent runs is its failure; what ends before that leaves nothing to judge."""
        match self._doing:
            case "importing":
                return Done(error=f"`{self._endpoint}` could not be imported: {how}")
            case "resetting":
                return Done(error=f"`{self._endpoint}` could not be made ready for the trial: {how}")
            case "running":
                return Done(failure=how, ms=(asyncio.get_running_loop().time() - self._began) * 1000)


def _out_of_turn(frame: Frame) -> NotAFrame:
    return NotAFrame(f"`{type(frame).__name__.lower()}` out of turn")
