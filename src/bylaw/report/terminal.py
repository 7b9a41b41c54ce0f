"""A run on a terminal: what passed in brief, everything else with its reason, its place and what it rests on."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console

from bylaw.report.closing import show_closing
from bylaw.report.entries import Entries
from bylaw.report.excerpt import excerpts
from bylaw.report.matrix_table import show_matrix
from bylaw.report.screen import STYLES, Screen, style_of
from bylaw.report.standing import Standing
from bylaw.report.survey import PASSED_BY_NAME, Events, GroupSurvey, take_survey
from bylaw.report.wording import count, counts_in_words, score_in_words, verdict_in_words

TITLE_WIDTH = 36
WORD_WIDTH = 30


def render_terminal(events: Events, console: Console, *, verbose: bool = False) -> None:
    """Reads the journal once, and once more if anything did not pass.

    What is kept grows with what did not pass and with the number of groups; of a matrix a byte per cell. Only
    `verbose` keeps the names of what passed, to print them.
    """
    survey = take_survey(events, every_name=verbose)
    screen = Screen(console)
    report = _Report(screen, Entries(screen, excerpts(events, survey, everything=verbose), verbose=verbose))
    if survey.root not in survey.tops:
        report.notes(survey.root, indent=0)
    brief = not verbose and sum(top.smooth() for top in survey.tops) > PASSED_BY_NAME
    for top in survey.tops:
        report.file(top, brief=brief and top.smooth())
    screen.blank()
    show_closing(screen, survey)


class _Report:
    def __init__(self, screen: Screen, entries: Entries) -> None:
        self.screen = screen
        self.entries = entries
        self.verbose = entries.verbose

    def file(self, group: GroupSurvey, *, brief: bool) -> None:
        """With `brief` only the line that says how it came out."""
        screen = self.screen
        if not brief:
            screen.blank()
        result = ", ".join(filter(None, (verdict_in_words(group.verdict), score_in_words(group.verdict))))
        result = screen.safe(result, screen.width // 2)
        left = screen.width - cell_len(result)
        title = screen.safe(group.title, left - 2)
        screen.line((screen.pad(title, left), "bold"), (result, style_of(group.verdict)))
        if brief:
            return
        where = group.outline.where
        about = (screen.safe(group.outline.kind, screen.width // 2), screen.place(str(where)) if where.file else "")
        if any(about):
            screen.line(("  ".join(filter(None, about)), "dim"))
        screen.blank()
        self.entries.begin()
        self.body(group, indent=2, top=True)
        screen.blank()

    def body(self, group: GroupSurvey, *, indent: int, top: bool) -> None:
        self.notes(group, indent=indent)
        if group.matrix:
            show_matrix(self.screen, group.matrix, indent=indent, everything=self.verbose)
        if top or self.verbose:
            self.passed(group, indent=indent)
        self.entries.show(group, indent=indent)
        if top and group.counts.total():
            self.screen.blank()
        self.children(group.children, indent=indent)

    def notes(self, group: GroupSurvey, *, indent: int) -> None:
        for note in group.outline.notes:
            self.screen.paragraph(note, indent=indent, lead="note: ")
        if group.outline.notes:
            self.screen.blank()

    def passed(self, group: GroupSurvey, *, indent: int) -> None:
        screen = self.screen
        passed, observed = group.plain[Standing.passed], group.plain[Standing.observed]
        if passed <= PASSED_BY_NAME or self.verbose:
            for one in group.names:
                screen.paragraph(one, indent=indent, lead="passed  ", lead_style="green", lines=1)
        else:
            screen.line(("passed  ", "green"), count(passed, "check"), indent=indent)
        if observed:
            text = f"{count(observed, 'check')} that would pass"
            screen.line(("observed  ", STYLES[Standing.observed]), text, indent=indent)

    def children(self, groups: list[GroupSurvey], *, indent: int) -> None:
        """A line for each, aligned; under it what is inside, where that asks for a look."""
        screen = self.screen
        smooth = {group.outline.id for group in groups if group.smooth()}
        hidden = smooth if len(smooth) > PASSED_BY_NAME and not self.verbose else set()
        rows = [group for group in groups if group.outline.id not in hidden]
        texts = [
            (
                screen.safe(group.title, TITLE_WIDTH),
                screen.safe(verdict_in_words(group.verdict), WORD_WIDTH),
                score_in_words(group.verdict),
            )
            for group in rows
        ]
        widths = [max(cell_len(text) for text in column) + 2 for column in zip(*texts, strict=True)]
        for group, (title, word, score) in zip(rows, texts, strict=True):
            counts = counts_in_words(group.total())
            fits = indent + sum(widths) + len(counts) <= screen.width
            screen.line(
                screen.pad(title, widths[0]),
                (screen.pad(word, widths[1]), style_of(group.verdict)),
                screen.pad(score, widths[2]),
                (counts if fits else "", "dim"),
                indent=indent,
            )
            if not fits:
                screen.paragraph(counts, indent=indent + 2, style="dim")
            if group.outline.id not in smooth or self.verbose:
                self.body(group, indent=indent + 2, top=False)
        if hidden:
            checks = sum(group.total().total() for group in groups if group.outline.id in hidden)
            text = f"{count(len(hidden), 'group')} ({count(checks, 'check')})"
            screen.line(("passed  ", "green"), text, indent=indent)
