"""The cells that did not simply pass, one by one: outcome, reason, place in the file, and what it rests on."""

from __future__ import annotations

from collections import Counter

from bylaw.journal import CellJudged
from bylaw.report.excerpt import CONCLUSIONS_SHOWN, Excerpt, alike
from bylaw.report.matrix import in_matrix
from bylaw.report.screen import STYLES, Screen
from bylaw.report.standing import NO_REASON, WORDS, Standing, name, reason, telling, worst_outcome
from bylaw.report.survey import GroupSurvey
from bylaw.report.wording import count, partial_score
from bylaw.verdict import Outcome

SHOWN_IN_FULL = 20
REASON_LINES = 8


class Entries:
    """Of each file the first entries are shown in full, the others in brief, so that the end is still in sight."""

    def __init__(self, screen: Screen, excerpts: dict[tuple[str, str], Excerpt], *, verbose: bool) -> None:
        self.screen = screen
        self.verbose = verbose
        self._excerpts = excerpts
        self._shown = 0

    def begin(self) -> None:
        self._shown = 0

    def show(self, group: GroupSurvey, *, indent: int) -> None:
        order = list(Standing)
        ranked = sorted(group.telling, key=lambda event: order.index(group.stands(event)))
        entries = [event for event in ranked if group.stands(event) not in (Standing.passed, Standing.not_applicable)]
        if entries:
            self.screen.blank()
        for event in entries:
            self._shown += 1
            self._heading(event, group, indent=indent)
            in_full = self.verbose or self._shown <= SHOWN_IN_FULL
            self._in_full(event, indent=indent + 2) if in_full else self._brief(event, indent=indent + 2)
        for event in ranked:
            if group.stands(event) is Standing.passed:
                self._remark(event, indent=indent)
        self._not_applicable(group, indent=indent)

    def _remark(self, event: CellJudged, *, indent: int) -> None:
        """Held by its rule, though not on every trial."""
        others = f"{len(telling(event))} of {count(len(event.conclusions), 'trial')} did not pass"
        text = f"{name(event)}: {event.verdict.word}, {others}"
        self.screen.paragraph(text, indent=indent, lead="passed  ", lead_style="green")

    def _heading(self, event: CellJudged, group: GroupSurvey, *, indent: int) -> None:
        stands = group.stands(event)
        word = WORDS[stands]
        if stands is Standing.observed:
            word += ", would fail" if worst_outcome(event) is Outcome.failed else ", undecided"
        remarks = (
            "must hold" if event.item.must else "",
            partial_score(event.verdict),
            "tolerated" if group.tolerant and stands is not Standing.observed else "",
        )
        beside = ", ".join(filter(None, remarks))
        room = self.screen.width - indent - len(word) - len(beside) - 6
        self.screen.line(
            (word, STYLES[stands]),
            ("  " + self.screen.safe(name(event), room), "bold"),
            (f"  ({beside})" if beside else "", "dim"),
            indent=indent,
        )

    def _brief(self, event: CellJudged, *, indent: int) -> None:
        self.screen.field("why", reason(event), indent=indent, lines=1)
        self._where(event, indent=indent)

    def _in_full(self, event: CellJudged, *, indent: int) -> None:
        found = alike(telling(event))
        if not found:
            self.screen.field("why", reason(event), indent=indent, lines=REASON_LINES)
            self._where(event, indent=indent)
        shown = found if self.verbose else found[:CONCLUSIONS_SHOWN]
        for number, (conclusion, times) in enumerate(shown):
            if number:
                self.screen.blank()
            code = f" [{conclusion.code}]" if conclusion.code else ""
            again = f" (the same on {count(times - 1, 'more trial')})" if times > 1 else ""
            why = (conclusion.reason or NO_REASON) + code + again
            self.screen.field("why", why, indent=indent, lines=REASON_LINES)
            if number == 0:
                self._where(event, indent=indent)
            if conclusion.action:
                self.screen.field("action", conclusion.action, indent=indent)
            self._rests_on(event, conclusion.trial, indent=indent)
        if len(found) > len(shown):
            more = count(len(found) - len(shown), "more reason")
            self.screen.line((f"and {more}", "dim"), indent=indent)
        self.screen.blank()

    def _where(self, event: CellJudged, *, indent: int) -> None:
        where = event.item.where
        if where.file:
            self.screen.line(("where     ", "dim"), self.screen.place(str(where)), indent=indent)

    def _rests_on(self, event: CellJudged, trial: str | None, *, indent: int) -> None:
        if trial is None:
            return
        before = ""
        for label, text in self._excerpts.get((event.cell, trial), (("trial", f"{trial} (not in this journal)"),)):
            self.screen.field("" if label == before else label, text, indent=indent)
            before = label

    def _not_applicable(self, group: GroupSurvey, *, indent: int) -> None:
        """One line for an item and a reason, however many cells share them."""
        shared: Counter[tuple[str, str]] = Counter()
        for event in group.telling:
            if group.stands(event) is Standing.not_applicable:
                shared[event.item.id if in_matrix(event) else name(event), reason(event)] += 1
        for (item, why), times in shared.items():
            text = f"{item}{f' ({times} times)' if times > 1 else ''}: {why}"
            self.screen.paragraph(text, indent=indent, lead="not applicable  ", style="dim", lines=2)
