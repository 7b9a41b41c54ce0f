"""What is wrong with files, for the people who wrote them: the sentence, the line it is about, what to do next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from rich.cells import cell_len
from rich.console import Console

from bylaw.errors import Diagnostic
from bylaw.report.safe_text import ellipsis, printable, visible
from bylaw.report.screen import Screen
from bylaw.report.wording import count

Source = Callable[[str], str | None]

STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
LONGEST_SENTENCE = 2_000
INDENT = 4
LINE_END = re.compile(r"\r\n|[\r\n]")


def render_diagnostics(diagnostics: Iterable[Diagnostic], console: Console, *, source: Source) -> None:
    """`source` gives the text of a file by its path, or None where it can't be had; each file is asked for once."""
    screen = Screen(console)
    found = sorted(diagnostics, key=lambda one: (one.where.file, one.where.line, one.where.column, one.code))
    lines: list[str] = []
    file: str | None = None
    for diagnostic in found:
        where = diagnostic.where
        if where.file != file:
            file = where.file
            lines = LINE_END.split((source(file) if file else None) or "")
        _show(diagnostic, screen, for_people=console.is_terminal)
        if where.file and 1 <= where.line <= len(lines):
            _show_source(lines[where.line - 1], diagnostic, screen, encoding=console.encoding)
        if diagnostic.hint:
            screen.paragraph(diagnostic.hint, indent=2, lead="hint: ", lead_style="cyan")
        screen.blank()
    if found:
        screen.line((_count_line(found), "bold"))


def _show(diagnostic: Diagnostic, screen: Screen, *, for_people: bool) -> None:
    """Where editors and CI read it, on one line however long; its beginning is on one line everywhere."""
    where = diagnostic.where
    place = screen.place(f"{where}: ") if where.file else ""
    level = f"{diagnostic.level}[{screen.place(diagnostic.code)}]"
    said = screen.safe(diagnostic.message, LONGEST_SENTENCE)
    first, *more = screen.rows(said, after=cell_len(f"{place}{level}: "), indent=INDENT) if for_people else [said]
    screen.line((place, "bold"), (level, STYLES[diagnostic.level]), f": {first}")
    for row in more:
        screen.line(row, indent=INDENT)


def _show_source(line: str, diagnostic: Diagnostic, screen: Screen, *, encoding: str) -> None:
    where = diagnostic.where
    if not line.strip():
        return
    gutter = f"{where.line} | "
    room = screen.width - 2 - len(gutter)
    column = min(where.column - 1, len(line))
    before, after = _shown(line[:column], encoding), _shown(line[column:], encoding)
    before, after = _around(before, after, room=room, mark=ellipsis(encoding))
    length = where.end - where.start
    marked = _shown(line[column : column + length], encoding) if length <= len(line) - column else ""
    carets = max(1, min(cell_len(marked), cell_len(after)))
    screen.line((gutter, "dim"), before + after, indent=2)
    blank_gutter = " " * (len(gutter) - 2) + "| "
    screen.line((blank_gutter, "dim"), " " * cell_len(before), ("^" * carets, STYLES[diagnostic.level]), indent=2)


def _shown(text: str, encoding: str) -> str:
    return printable(visible(text.replace("\t", "    ")), encoding=encoding)


def _around(before: str, after: str, *, room: int, mark: str) -> tuple[str, str]:
    """A long line, cut so that the column stays in sight with some of what stands on both sides."""
    if cell_len(before) + cell_len(after) <= room:
        return before, after
    kept_before = max(room // 2, room - max(1, cell_len(after)))
    if cell_len(before) > kept_before:
        before = mark + _tail(before, kept_before - cell_len(mark))
    kept_after = room - cell_len(before)
    if cell_len(after) > kept_after:
        after = _head(after, kept_after - cell_len(mark)) + mark
    return before, after


def _head(text: str, cells: int) -> str:
    text = text[: max(0, cells)]
    while cell_len(text) > cells:
        text = text[:-1]
    return text


def _tail(text: str, cells: int) -> str:
    text = text[-cells:] if cells > 0 else ""
    while cell_len(text) > cells:
        text = text[1:]
    return text


def _count_line(found: list[Diagnostic]) -> str:
    levels = Counter(one.level for one in found)
    parts = [count(levels[level], level) for level in ("error", "warning", "note") if levels[level]]
    files = {one.where.file for one in found if one.where.file}
    return ", ".join(parts) + (f" in {count(len(files), 'file')}" if files else "")
