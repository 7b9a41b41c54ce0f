"""Findings in trial order, cells and groups folded once, and nothing that was not judged counted as success."""

from __future__ import annotations

import pytest

from bylaw import journal
from bylaw.evidence import Evidence
from bylaw.plan import Group
from bylaw.scoring import AllHold, Replicas, SeverityWeighted
from bylaw.verdict import Finding, Outcome, Verdict

from .fakes import ALL_HOLD, Script, cell, group, item, plan, rule, run_heard, trial


def test_a_run_tells_its_story_in_order() -> None:
    subject = Script(slots=1)
    made = plan(
        [trial("t1", subject), trial("t2", subject, "failed")],
        group("first", cell("a", "t1")),
        group("second", cell("b", "t2")),
    )
    verdict, heard = run_heard(made)
    assert [type(event).__name__ for event in heard] == [
        "Started",
        *("TrialEnded", "CellJudged", "GroupJudged"),
        *("TrialEnded", "CellJudged", "GroupJudged"),
        "GroupJudged",
        "Ended",
    ]
    (started,) = heard.of(journal.Started)
    assert (started.trials, started.cells, started.at) == (2, 2, 1_700_000_000.0)
    assert [outline.id for outline in started.groups] == ["run", "first", "second"]
    assert [judged.group for judged in heard.of(journal.GroupJudged)] == ["first", "second", "run"]
    assert heard.of(journal.Ended) == [journal.Ended(verdict=verdict, ms=0.0)]
    assert verdict.state == "broken"


def test_findings_fold_in_the_order_the_cell_names_its_trials() -> None:
    folded: list[list[str]] = []

    def fold(parts: object) -> Verdict:
        assert isinstance(parts, list)
        folded.append([part.code for part in parts])
        return Verdict(state="held", word="ok")

    subject = Script()
    trials = [trial("t1", subject, "passed"), trial("t2", subject, "failed"), trial("t3", subject, "error")]
    _, heard = run_heard(plan(trials, cell("a", "t3", "t1", "t2", fold=fold)))
    assert folded == [["error", "passed", "failed"]]
    (judged,) = heard.of(journal.CellJudged)
    assert [conclusion.trial for conclusion in judged.conclusions] == ["t3", "t1", "t2"]


def test_one_trial_serves_many_cells_and_one_cell_many_trials() -> None:
    subject = Script()
    made = plan(
        [trial("t1", subject), trial("t2", subject, "failed")],
        cell("both", "t1", "t2", fold=Replicas(rule="any")),
        cell("one", "t1"),
    )
    verdict, heard = run_heard(made)
    assert verdict.state == "held"
    assert {judged.cell: judged.verdict.word for judged in heard.of(journal.CellJudged)} == {
        "both": "flaky",
        "one": "held",
    }
    assert sorted(subject.ran) == ["t1", "t2"]


def test_weight_must_and_binding_come_from_the_item_and_the_group() -> None:
    subject = Script()
    heavy = cell("heavy", "t1", check=rule(of=item("heavy", weight=3.0, must=True)))
    draft = cell("draft", "t2", check=rule(of=item("draft", binding=False)))
    counted: list[list[Verdict]] = []

    def fold(parts: object) -> Verdict:
        assert isinstance(parts, list)
        counted.append(list(parts))
        return AllHold()(parts)

    inner = Group(id="inner", fold=fold, members=(heavy, draft), weight=2.0, must=True, binding=False)
    run_heard(plan([trial("t1", subject), trial("t2", subject, "failed")], inner, fold=fold))
    (of_cells, of_groups) = counted
    assert [(part.weight, part.must, part.binding) for part in of_cells] == [(3.0, True, True), (1.0, False, False)]
    assert [(part.weight, part.must, part.binding) for part in of_groups] == [(2.0, True, False)]


def test_a_fold_that_enforced_nothing_does_not_bind_one_level_up() -> None:
    subject = Script()
    draft = cell("draft", "t1", check=rule(of=item(binding=False)))
    made = plan(
        [trial("t1", subject, "failed"), trial("t2", subject)], group("drafts", draft), group("real", cell("b", "t2"))
    )
    verdict, heard = run_heard(made)
    assert {judged.group: judged.verdict.binding for judged in heard.of(journal.GroupJudged)} == {
        "drafts": False,
        "real": True,
        "run": True,
    }
    assert (verdict.state, verdict.low, verdict.high) == ("held", 1.0, 1.0)


def test_an_excluded_cell_does_not_apply_and_runs_nothing() -> None:
    subject = Script()
    made = plan([trial("t1", subject)], cell("out", "t1", excluded="its `when` leaves it out"), cell("in", "t1"))
    verdict, heard = run_heard(made)
    assert heard.finding("out") == journal.Conclusion(
        outcome=Outcome.not_applicable, code="excluded", reason="its `when` leaves it out"
    )
    assert verdict.state == "held"
    assert [type(event).__name__ for event in heard][:3] == ["Started", "CellJudged", "TrialEnded"]


def test_a_cell_without_trials_was_not_exercised() -> None:
    verdict, heard = run_heard(plan([], cell("idle")))
    assert heard.finding("idle").outcome is Outcome.not_exercised
    assert heard.finding("idle").reason == "nothing ran for it"
    assert verdict.state == "undecided"


def test_nothing_to_judge_is_undecided() -> None:
    verdict, heard = run_heard(plan([]))
    assert (verdict.state, verdict.word) == ("undecided", "nothing judged")
    assert [type(event).__name__ for event in heard] == ["Started", "GroupJudged", "Ended"]


def test_an_empty_group_beside_a_held_one_keeps_the_run_undecided() -> None:
    made = plan([trial("t1", Script())], group("full", cell("a", "t1")), group("outer", group("empty")))
    verdict, heard = run_heard(made)
    assert verdict.state == "undecided"
    assert [judged.group for judged in heard.of(journal.GroupJudged)] == ["empty", "outer", "full", "run"]


def test_groups_nest() -> None:
    subject = Script()
    trials = [trial(f"t{number}", subject, outcome) for number, outcome in enumerate(["passed", "failed", "passed"])]
    light = Group(
        id="light",
        fold=SeverityWeighted(),
        members=(group("inner", cell("a", "t0"), cell("b", "t1")), cell("c", "t2")),
    )
    verdict, heard = run_heard(plan(trials, light))
    found = {judged.group: judged.verdict for judged in heard.of(journal.GroupJudged)}
    assert found["inner"].state == "broken"
    assert (found["light"].state, found["light"].low, found["light"].high) == ("held", 0.5, 0.5)
    assert verdict.state == "held"


def test_a_check_that_raises_is_an_error_of_its_cell_alone() -> None:
    def stumble(evidence: Evidence) -> Outcome:
        raise LookupError("no such column")

    made = plan([trial("t1", Script())], cell("bad", "t1", check=rule(stumble)), cell("good", "t1"))
    verdict, heard = run_heard(made)
    finding = heard.finding("bad")
    assert (finding.outcome, finding.code) == (Outcome.error, "check_error")
    assert finding.reason == "LookupError: no such column"
    assert finding.details["traceback"].endswith("LookupError: no such column\n")
    assert heard.finding("good").outcome is Outcome.passed
    assert verdict.state == "undecided"


def test_a_cell_may_name_a_trial_twice() -> None:
    seen: list[int] = []

    def fold(parts: object) -> Verdict:
        assert isinstance(parts, list)
        seen.append(len(parts))
        assert all(isinstance(part, Finding) for part in parts)
        return ALL_HOLD(parts)

    verdict, _ = run_heard(plan([trial("t1", Script())], cell("twice", "t1", "t1", fold=fold)))
    assert (verdict.state, seen) == ("held", [2])


def test_a_cell_judged_on_an_unknown_trial_is_refused() -> None:
    with pytest.raises(ValueError, match="cell `a` is judged on `t9`, which is no trial of the plan"):
        run_heard(plan([trial("t1", Script())], cell("a", "t9")))
