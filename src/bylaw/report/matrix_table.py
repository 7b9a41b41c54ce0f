"""A matrix on the screen."""

from __future__ import annotations

from bylaw.report.matrix import GAP, MARKS, Mark, Matrix, lay_out
from bylaw.report.screen import STYLES, Screen
from bylaw.report.wording import count


def show_matrix(screen: Screen, matrix: Matrix, *, indent: int, everything: bool) -> None:
    shown, left_out = matrix.shown(everything=everything)
    room = screen.width - indent
    marks = {mark for _, row in shown for mark in row}
    layout = lay_out(
        [screen.safe(row, room // 2) for row, _ in shown],
        [screen.safe(column, room // 2) for column in matrix.columns],
        width=room,
        mark_width=max((len(mark.word) for mark in marks), default=0),
        mark=screen.mark,
    )
    gap = " " * GAP
    for block in layout.blocks if shown else ():
        heading = gap.join(screen.pad(head, wide) for head, wide, _ in block)
        screen.line((" " * (layout.name_width + GAP) + heading, "dim"), indent=indent)
        for row, row_marks in shown:
            parts: list[tuple[str, str] | str] = [screen.pad(screen.safe(row, layout.name_width), layout.name_width)]
            for _, wide, place in block:
                mark = row_marks[place]
                parts += [gap, (screen.pad(mark.word, wide), STYLES[mark.standing])]
            screen.line(*parts, indent=indent)
        screen.blank()
    if left_out:
        screen.line(("passed  ", "green"), count(left_out, "more row"), indent=indent)
    for key in layout.key if shown else ():
        screen.line((key, "dim"), indent=indent)
    _show_legend(screen, marks, indent=indent)
    screen.blank()


def _show_legend(screen: Screen, marks: set[Mark], *, indent: int) -> None:
    legend = dict.fromkeys(mark.legend for mark in reversed(MARKS) if mark in marks and mark.legend)
    if legend:
        screen.blank()
        screen.paragraph("; ".join(legend), indent=indent, style="dim")
