from __future__ import annotations

import io

from rich.console import Console

from bylaw.journal import Event
from bylaw.report.progress import LiveProgress

from .journals import cell, concluded, ended, file, started, trial

RUN: tuple[Event, ...] = (
    started(file("r"), trials=3, cells=3),
    trial("a"),
    cell("r", "a", concluded("failed", "no", trial="a")),
    trial("b"),
    cell("r", "b", concluded("error", "no", trial="b")),
    cell("r", "c", concluded("passed", trial="b")),
    trial("c"),
    ended("broken"),
)


def listened(console: Console, *events: Event, seconds: float = 0.0) -> None:
    """Every look at the clock finds it `seconds` later."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += seconds
        return now

    with LiveProgress(console, clock=clock) as listen:
        for event in events:
            listen(event)


def plain(*events: Event, seconds: float) -> str:
    out = io.StringIO()
    listened(Console(file=out, width=80, force_terminal=False), *events, seconds=seconds)
    return out.getvalue()


def test_a_short_run_that_nobody_watches_is_quiet() -> None:
    assert plain(*RUN, seconds=0.1) == ""


def test_a_long_run_that_nobody_watches_speaks_now_and_then() -> None:
    assert plain(*RUN, seconds=16) == (
        "running: 1 of 3 trials, 1 failure so far\n"
        "running: 2 of 3 trials, 1 failure so far, 1 undecided\n"
        "running: 3 of 3 trials, 1 failure so far, 1 undecided\n"
    )


def test_a_terminal_shows_a_bar_and_clears_it_at_the_end() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None, legacy_windows=False)
    listened(console, *RUN)
    assert "3/3 trials, 1 failure so far, 1 undecided" in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K")


def test_a_run_without_trials_needs_no_bar() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None, legacy_windows=False)
    listened(console, started(file("r"), cells=1), cell("r", "a", concluded("passed")), ended("held"))
    assert "trials" not in out.getvalue()


def test_the_bar_goes_away_when_the_run_breaks_off() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None, legacy_windows=False)
    try:
        with LiveProgress(console) as listen:
            listen(RUN[0])
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert out.getvalue().endswith("\x1b[2K")
