"""Lines on a terminal: safe text, hanging indents, few colours."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from bylaw.report.safe_text import ellipsis, printable, safe_line, visible
from bylaw.report.standing import Standing
from bylaw.verdict import Verdict

NARROWEST, WIDEST = 40, 120
LABEL = 10

STYLES: dict[Standing, str] = {
    Standing.passed: "green",
    Standing.failed: "bold red",
    Standing.error: "bold magenta",
    Standing.not_exercised: "bold yellow",
    Standing.observed: "cyan",
    Standing.not_applicable: "dim",
}


def style_of(verdict: Verdict | None) -> str:
    """A group that was never judged is as open as one that is undecided."""
    if verdict is not None and not verdict.binding:
        return STYLES[Standing.observed]
    return {"held": "green", "broken": "bold red"}.get(verdict.state if verdict else "", "bold yellow")


class Screen:
    """Everything that reaches the console has gone through `safe` or `place`, or is ours."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._after_blank = True
        self.width = max(NARROWEST, min(console.width, WIDEST))
        self.mark = ellipsis(console.encoding)

    def safe(self, text: str, cells: int) -> str:
        return safe_line(text, cells=max(1, cells), encoding=self._console.encoding)

    def place(self, text: str) -> str:
        """A `file:line:column`, never cut or wrapped: it is there to be clicked."""
        return printable(visible(text), encoding=self._console.encoding)

    def line(self, *parts: tuple[str, str] | str, indent: int = 0) -> None:
        """Parts are safe already: text, or text with a style."""
        text = Text(" " * indent)
        for part in parts:
            text.append(part) if isinstance(part, str) else text.append(*part)
        text.rstrip()
        self._console.print(text, soft_wrap=True)
        self._after_blank = False

    def paragraph(
        self, text: str, *, indent: int = 0, style: str = "", lead: str = "", lead_style: str = "dim", lines: int = 6
    ) -> None:
        """Wrapped, the following lines under the first word after `lead`."""
        room = max(20, self.width - indent - cell_len(lead))
        for number, row in enumerate(Text(self.safe(text, room * lines)).wrap(self._console, room, overflow="fold")):
            before = lead if number == 0 else " " * cell_len(lead)
            self.line((before, lead_style), (row.plain, style), indent=indent)

    def rows(self, text: str, *, after: int, indent: int) -> list[str]:
        """Safe text in rows: the first beside what takes `after` columns, empty where no word fits there."""
        rows, room = [""], self.width - after
        for word in text.split(" "):
            for piece in chop_cells(word, self.width - indent):
                longer = f"{rows[-1]} {piece}" if rows[-1] else piece
                if cell_len(longer) <= room:
                    rows[-1] = longer
                else:
                    rows.append(piece)
                    room = self.width - indent
        return rows

    def field(self, label: str, text: str, *, indent: int, lines: int = 2) -> None:
        self.paragraph(text, indent=indent, lead=label.ljust(LABEL), lines=lines)

    def blank(self) -> None:
        """One empty line between things, never two, and none at the top."""
        if not self._after_blank:
            self._console.print()
        self._after_blank = True

    def pad(self, text: str, cells: int) -> str:
        return text + " " * max(0, cells - cell_len(text))
