"""Where a run stands while it runs: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from bylaw.journal import CellJudged, Ended, Event, Started, TrialEnded
from bylaw.report.standing import Standing, standing
from bylaw.report.wording import count

SECONDS_BETWEEN_LINES = 30.0


class LiveProgress:
    """A listener for the time of a run: `with LiveProgress(console) as listen: ...`.

    On a terminal the bar is gone when the run is over, so that the report starts on a clean line.
    """

    def __init__(self, console: Console, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._last_line = clock()
        self._trials = self._done = self._failed = self._unknown = 0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("running"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("trials, {task.fields[found]}"),
                TimeElapsedColumn(),
                console=console,
                transient=True,
            )

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, event: Event) -> None:
        match event:
            case Started():
                self._trials = event.trials
            case TrialEnded():
                self._done += 1
            case CellJudged():
                stands = standing(event)
                self._failed += stands is Standing.failed
                self._unknown += stands in (Standing.error, Standing.not_exercised)
            case _:
                pass
        if self._bar is not None:
            self._move(self._bar)
        elif not isinstance(event, Started | Ended):
            self._speak()

    @property
    def found(self) -> str:
        unknown = f", {self._unknown:,} undecided" if self._unknown else ""
        return f"{count(self._failed, 'failure')} so far{unknown}"

    def _move(self, bar: Progress) -> None:
        """A run without trials judges what is recorded: over at once, and no bar."""
        if self._task is None:
            if self._trials:
                self._task = bar.add_task("", total=self._trials, completed=self._done, found=self.found)
        else:
            bar.update(self._task, completed=self._done, found=self.found)

    def _speak(self) -> None:
        now = self._clock()
        if now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            line = f"running: {self._done:,} of {count(self._trials, 'trial')}, {self.found}"
            self._console.print(line, soft_wrap=True, highlight=False, markup=False)
