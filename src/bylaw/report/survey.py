"""What a journal says, in one reading: counts, verdicts, and in full only what did not simply pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from bylaw.journal import CellJudged, Ended, Event, GroupJudged, JournalError, Outline, Started, TrialEnded
from bylaw.report.matrix import Matrix, in_matrix
from bylaw.report.standing import Standing, name, standing, telling, worst_outcome
from bylaw.report.wording import partial_score
from bylaw.verdict import Outcome, Verdict

Events = Callable[[], Iterator[Event]]

INTERRUPTED = Verdict(state="undecided", word="interrupted")
CUT_OFF = "the journal ends before the run does"
PASSED_BY_NAME = 6


class GroupSurvey:
    """One group.

    `telling` keeps the cells that did not simply pass. Of the others, those outside the matrix are counted in
    `plain`, and `names` has the first few that passed.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.children: list[GroupSurvey] = []
        self.verdict: Verdict | None = None
        self.counts: Counter[Standing] = Counter()
        self.telling: list[CellJudged] = []
        self.plain: Counter[Standing] = Counter()
        self.names: list[str] = []
        self.matrix = Matrix()
        self.observed = False
        self.tolerant = False

    @property
    def title(self) -> str:
        return self.outline.title or self.outline.id

    def stands(self, event: CellJudged) -> Standing:
        found = standing(event)
        if self.observed and found is not Standing.not_applicable:
            return Standing.observed
        return found

    def tree(self) -> Iterator[GroupSurvey]:
        yield self
        for child in self.children:
            yield from child.tree()

    def total(self) -> Counter[Standing]:
        counts: Counter[Standing] = Counter()
        for group in self.tree():
            counts.update(group.counts)
        return counts

    def tolerated(self) -> int:
        """How many cells are no success, yet the rule of a group above them is satisfied."""
        weak = (Standing.failed, Standing.error, Standing.not_exercised)
        return sum(group.counts[one] for group in self.tree() if group.tolerant for one in weak)

    def observe(self) -> None:
        """Nothing in here counts after all."""
        self.observed = True
        excluded = self.counts[Standing.not_applicable]
        seen = self.counts.total() - excluded
        self.counts = +Counter({Standing.observed: seen, Standing.not_applicable: excluded})
        self.plain = +Counter({Standing.observed: self.plain.total()})
        self.names = []
        self.matrix.observe()

    def smooth(self) -> bool:
        """Held, and nothing inside asks for a look."""
        held = self.verdict is not None and self.verdict.state == "held"
        return held and not any(group.telling or group.outline.notes for group in self.tree())


class Survey:
    """A whole run."""

    def __init__(self, started: Started) -> None:
        self.started = started
        self.ended: Ended | None = None
        self.trials = 0
        self.groups = {outline.id: GroupSurvey(outline) for outline in started.groups}
        roots = [group for group in self.groups.values() if not group.outline.parent]
        if len(roots) != 1:
            raise JournalError(f"the journal has {len(roots)} outermost groups, not one")
        self.root = roots[0]
        for group in self.groups.values():
            if group.outline.parent:
                self.groups[group.outline.parent].children.append(group)

    @property
    def verdict(self) -> Verdict:
        return INTERRUPTED if self.ended is None else self.ended.verdict

    @property
    def stopped(self) -> str:
        return CUT_OFF if self.ended is None else self.ended.stopped

    @property
    def tops(self) -> list[GroupSurvey]:
        """The groups of files. A root with cells of its own is one."""
        return [self.root] if self.root.counts.total() else self.root.children

    def path(self, group: GroupSurvey) -> list[GroupSurvey]:
        """From the group of the file down to this one."""
        found = [group]
        tops = self.tops
        while not any(found[0] is top for top in tops) and found[0].outline.parent:
            found.insert(0, self.groups[found[0].outline.parent])
        return found

    def _add_cell(self, event: CellJudged, *, every_name: bool) -> None:
        group = self.groups[event.group]
        stands = standing(event)
        group.counts[stands] += 1
        if in_matrix(event):
            group.matrix.add(event)
        if not _smooth(event, stands):
            group.telling.append(event)
        elif not in_matrix(event):
            group.plain[stands] += 1
            if stands is Standing.passed and (every_name or len(group.names) < PASSED_BY_NAME):
                score = partial_score(event.verdict)
                group.names.append(f"{name(event)} ({score})" if score else name(event))

    def _settle(self, group: GroupSurvey, *, observed: bool, tolerant: bool) -> None:
        """What a group's own verdict says about everything below it, known only when all is read."""
        verdict = group.verdict
        if observed or (verdict is not None and not verdict.binding):
            group.observe()
        group.tolerant = tolerant or (verdict is not None and verdict.state == "held")
        for child in group.children:
            self._settle(child, observed=group.observed, tolerant=group.tolerant)


def _smooth(event: CellJudged, stands: Standing) -> bool:
    if stands is Standing.passed:
        return not telling(event)
    return stands is Standing.observed and worst_outcome(event) is Outcome.passed


def take_survey(events: Events, *, every_name: bool = False) -> Survey:
    """Read a journal once. With `every_name` the names of all passed cells are kept, not only the first few."""
    stream = events()
    first = next(stream, None)
    if not isinstance(first, Started):
        raise JournalError("the journal is empty: the run was over before it began")
    survey = Survey(first)
    for event in stream:
        match event:
            case TrialEnded():
                survey.trials += 1
            case CellJudged():
                survey._add_cell(event, every_name=every_name)
            case GroupJudged():
                survey.groups[event.group].verdict = event.verdict
            case Ended():
                survey.ended = event
            case Started():
                raise JournalError("the journal has two beginnings")
    survey._settle(survey.root, observed=False, tolerant=False)
    return survey
