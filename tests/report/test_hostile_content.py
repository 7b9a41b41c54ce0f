"""Agents, tools and models write what they like: it reaches terminals, files and parsers as text, never as more."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from rich.console import Console

from bylaw.errors import Diagnostic, Span
from bylaw.evidence import Answer, Effect, Evidence, ModelCall, ToolCall
from bylaw.journal import CellJudged, Event
from bylaw.report.diagnostics import render_diagnostics
from bylaw.report.json_report import render_json
from bylaw.report.junit import render_junit
from bylaw.report.terminal import render_terminal

from .journals import again, cell, concluded, ended, file, inside, judged, place, screen, started, trial

EVIL = "[bold red]x[/] \x1b[2J\x1b]0;pwn\x07 \u202eabc\u200b\r\nline\ttwo \x00 ]]> <&\"' 日本語 :boom: " + "w" * 500


def hostile(evil: str = EVIL) -> tuple[Event, ...]:
    """Everything that can hold text holds the same hostile one."""
    evidence = Evidence(
        events=(
            ToolCall(tool=evil, args={evil: evil}, answer=Answer(text=evil), faults=(evil,)),
            ToolCall(tool=evil, malformed=evil, answer=Answer(raised=evil)),
            ModelCall(request={"model": evil}, response={"content": evil}),
            Effect(kind="http", detail={"url": evil}),
        ),
        output=evil,
        failure=evil,
        error=evil,
        reached=(evil, "other"),
        fired=(evil,),
        closed=(evil,),
    )
    conclusion = concluded(
        "failed", evil, trial=evil, about=(0, 1, 2, 3, 99), code=evil, details={"closest": {"tool": evil, "args": {}}}
    )
    where = Span(file=evil, line=1, column=1)
    return (
        started(file("r", title=evil, kind=evil, where=where, notes=(evil,)), inside("r", "s", title=evil)),
        trial(evil, evidence, prompt=evil, scenario=evil, params={evil: evil}),
        cell("r", evil, conclusion, line=3, file=evil),
        cell("s", evil, concluded("not_applicable", evil)),
        cell("s", evil, concluded("passed")),
        place("r", evil, evil, "error", evil, trial=evil),
        judged("s", "held", evil),
        judged("r", "broken", evil, low=0, high=0.5),
        ended("broken", evil, stopped=evil),
    )


@pytest.mark.parametrize("verbose", [False, True])
def test_nothing_is_interpreted_on_a_terminal(verbose: bool) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system="standard", legacy_windows=False)
    render_terminal(again(*hostile()), console, verbose=verbose)
    without_our_colours = out.getvalue()
    for code in ("0", "1", "2", "32", "36", "1;31", "1;33", "1;35", "33"):
        without_our_colours = without_our_colours.replace(f"\x1b[{code}m", "")
    assert not set(without_our_colours) & set("\x1b\x07\x00\r\t\u202e\u200b")
    assert "[bold red]x[/] \\x1b[2J\\x1b]0;pwn\\x07" in without_our_colours
    assert ":boom:" in without_our_colours


def test_long_lines_are_cut() -> None:
    shown = screen(*hostile())
    lines = [line for line in shown.splitlines() if "where" not in line and ":1:1" not in line]
    assert max(len(line) for line in lines) <= 80


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_knows_few_characters_gets_few(encoding: str) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    render_terminal(again(*hostile("日本語 ✓ " * 50)), Console(file=out, width=80))
    out.flush()
    assert b"\\u65e5\\u672c\\u8a9e" in raw.getvalue()
    assert b"..." in raw.getvalue()


def test_half_a_surrogate_pair_is_shown_and_written() -> None:
    assert "half \\ud83d" in screen(*hostile("half \ud83d"))
    out = io.BytesIO()
    render_junit(again(*hostile("half \ud83d")), out)
    assert b"half \\ud83d" in out.getvalue()


def test_xml_stays_xml() -> None:
    out = io.BytesIO()
    render_junit(again(*hostile()), out)
    root = ElementTree.fromstring(out.getvalue())
    failure = root.find(".//failure")
    assert failure is not None
    assert "\\x00 ]]> <&\"' 日本語" in (failure.text or "")
    assert len(failure.get("message", "")) <= 500


def test_json_keeps_the_text_as_it_was() -> None:
    document = json.loads(b"".join(render_json(again(*hostile()))))
    assert document["trials"][0]["output"] == EVIL
    assert document["groups"][0]["title"] == EVIL


def test_diagnostics_quote_hostile_files_safely() -> None:
    out = io.StringIO()
    diagnostic = Diagnostic(code="x", message=EVIL, where=Span(file="a.yaml", line=1, column=14), hint=EVIL)
    render_diagnostics(
        [diagnostic], Console(file=out, width=80), source=lambda _: "\x1b[31m key: [bold]\x07 value\u202e" * 40
    )
    assert not set(out.getvalue()) & set("\x1b\x07\x00\r\t\u202e\u200b")
    assert "\\x1b[31m key: [bold]\\x07" in out.getvalue()


def _many(cells: int) -> Iterator[Event]:
    yield started(file("r", title="large"))
    for number in range(cells):
        one: CellJudged = cell("r", f"a cell with the number {number}", concluded("passed", "as it should be"))
        yield one
    yield judged("r", "held", low=1, high=1)
    yield ended("held")


def _peak(cells: int) -> int:
    tracemalloc.start()
    try:
        render_terminal(lambda: _many(cells), Console(file=io.StringIO(), width=80))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_what_passed() -> None:
    _peak(10)
    assert _peak(5_000) - _peak(500) < 20_000
