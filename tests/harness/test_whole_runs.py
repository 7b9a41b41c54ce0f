"""Whole runs: the verdict does not depend on how many jobs there are, and the journal holds everything."""

from __future__ import annotations

import asyncio
import weakref
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from bylaw import journal
from bylaw.evidence import Answer, Evidence, Need, ToolCall
from bylaw.harness import run, run_plan
from bylaw.plan import Cell, Group, Plan, Surroundings, Trial
from bylaw.scoring import AllHold, Composite, Replicas, SeverityWeighted
from bylaw.verdict import Finding, Fold, Item, Outcome, Verdict

from .fakes import FROZEN, Heard, Room, Script, asking, cell, echo, group, item, plan, rule, run_heard, trial


def encoded(events: list[journal.CellJudged]) -> list[bytes]:
    return sorted(msgspec.json.encode(event) for event in events)


def test_two_thousand_trials_come_to_the_same_at_any_concurrency() -> None:
    outcomes = list(Outcome)

    def made() -> Plan:
        subjects = [Script(slots=slots) for slots in (1, 3, None)]
        trials = [
            trial(f"t{n}", subjects[n % 3], outcomes[n % 7 % 5], after=[f"t{n - 10}"] if n % 50 == 49 else [])
            for n in range(2000)
        ]
        cells = [cell(f"c{n}", f"t{n}", f"t{(n * 7) % 2000}", fold=Replicas(rule="any")) for n in range(2000)]
        groups = [
            Group(id=f"g{n}", fold=SeverityWeighted(min_score=60), members=cells[n : n + 40])
            for n in range(0, 2000, 40)
        ]
        return plan(trials, *groups)

    alone, heard_alone = run_heard(made(), jobs=1)
    crowd, heard_crowd = run_heard(made(), jobs=50)
    assert alone == crowd
    assert len(heard_alone.of(journal.CellJudged)) == 2000
    assert encoded(heard_alone.of(journal.CellJudged)) == encoded(heard_crowd.of(journal.CellJudged))


def test_a_journal_read_back_is_what_was_told(tmp_path: Path) -> None:
    async def busy(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        if trial.prompt == "raise":
            raise RuntimeError("boom")
        call = ToolCall(tool="refund", args={"amount": 3}, answer=Answer(text="done"))
        return Evidence(events=(call,), output=trial.prompt, reached=("slow",))

    subject, room = Script(busy), Room({"rows": [1, 2]})
    needing = rule(of=item("asks", weight=2.0), needs=asking(Need(kind="rows", at="before"), Need(kind="nowhere")))
    made = plan(
        [trial("t1", subject, world=room), trial("t2", subject, "failed"), trial("t3", subject, "raise")],
        group("first", cell("a", "t1", check=needing), cell("b", "t2", "t3"), cell("out", excluded="not here")),
        group("empty"),
    )
    path, heard = tmp_path / "run.journal", Heard()
    writer = journal.JournalWriter(path)
    run(made, jobs=3, listen=[heard, writer], seed=7, files=["refunds.yaml"], clock=FROZEN)
    writer.close()
    assert list(journal.read_journal(path)) == heard
    (started,) = heard.of(journal.Started)
    assert (started.seed, started.files) == (7, ("refunds.yaml",))


def test_evidence_is_let_go_once_it_is_judged() -> None:
    class Watched(Evidence, frozen=True, kw_only=True, weakref=True):
        pass

    alive: list[weakref.ref[Watched]] = []
    counts: list[int] = []

    async def answer(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        counts.append(sum(ref() is not None for ref in alive))
        evidence = Watched(output=trial.prompt)
        alive.append(weakref.ref(evidence))
        return evidence

    subject = Script(answer, slots=1)
    trials = [trial(f"t{number}", subject) for number in range(20)]
    made = plan(trials, cell("all", *(t.id for t in trials)))
    asyncio.run(run_plan(made, jobs=1, listen=[]))
    assert max(counts) == 0


def test_an_earlier_result_is_let_go_after_the_last_trial_that_waits_for_it() -> None:
    class Text(str):
        pass

    results: list[weakref.ref[Text]] = []
    kept: dict[str, bool] = {}

    async def answer(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        kept[trial.id] = any(result() is not None for result in results)
        if trial.id != "base":
            return Evidence()
        text = Text("passed")
        results.append(weakref.ref(text))
        return Evidence(output=text)

    subject = Script(answer, slots=1)
    waiting = [trial(f"t{number}", subject, after=["base"]) for number in range(3)]
    made = plan([trial("base", subject), trial("other", subject), *waiting, trial("end", subject)])
    asyncio.run(run_plan(made, jobs=1, listen=[]))
    assert kept == {"base": False, "other": True, "t0": True, "t1": True, "t2": True, "end": False}


FOLDS: list[Fold] = [
    AllHold(),
    SeverityWeighted(min_score=50),
    Composite(pass_threshold=0.6),
    Replicas(rule="majority"),
    Replicas(rule="mean", least=0.5),
]
FATES = [*Outcome, "raise"]


@st.composite
def members(draw: st.DrawFn, trials: int, depth: int) -> Cell | Group:
    name = f"n{draw(st.integers())}"
    weight, must, binding = draw(st.sampled_from([0.0, 1.0, 3.0])), draw(st.booleans()), draw(st.booleans())
    fold = draw(st.sampled_from(FOLDS))
    if depth and draw(st.booleans()):
        inside = draw(st.lists(members(trials, depth - 1), max_size=4))
        return Group(id=name, fold=fold, members=inside, weight=weight, must=must, binding=binding)
    judged_on = draw(st.lists(st.integers(0, trials - 1), max_size=3)) if trials else []
    return Cell(
        id=name,
        check=rule(of=item(name, weight=weight, must=must, binding=binding)),
        trials=tuple(f"t{number}" for number in judged_on),
        fold=fold,
        excluded=draw(st.sampled_from(["", "", "not here"])),
    )


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    async def live(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        if trial.prompt == "raise":
            raise RuntimeError("boom")
        return await echo(trial, surroundings)

    subjects = [Script(live, slots=draw(st.sampled_from([None, 1, 2]))) for _ in range(3)]
    fates = draw(st.lists(st.sampled_from(FATES), max_size=8))
    trials = [
        trial(
            f"t{number}",
            draw(st.sampled_from(subjects)),
            fate,
            after=[f"t{draw(st.integers(0, number - 1))}"] if number and draw(st.booleans()) else [],
        )
        for number, fate in enumerate(fates)
    ]
    return plan(trials, *draw(st.lists(members(len(trials), 3), max_size=5)), fold=draw(st.sampled_from(FOLDS)))


def folded_by_hand(node: Cell | Group, said: dict[str, str]) -> Verdict:
    """What the plan's rules come to when every trial's outcome is known beforehand."""
    by: Item | Group
    if isinstance(node, Group):
        by = node
        verdict = node.fold([folded_by_hand(member, said) for member in node.members])
    else:
        by = node.check.item
        if node.excluded:
            outcomes = [Outcome.not_applicable]
        elif not node.trials:
            outcomes = [Outcome.not_exercised]
        else:
            outcomes = [Outcome.error if said[name] == "raise" else Outcome(said[name]) for name in node.trials]
        verdict = node.fold([Finding(item=by, outcome=out, score=float(out is Outcome.passed)) for out in outcomes])
    return msgspec.structs.replace(
        verdict, weight=by.weight, must=by.must, binding=by.binding and verdict.binding, because=()
    )


@given(made=plans(), jobs=st.integers(1, 9))
@settings(deadline=None)
def test_the_verdict_is_the_plan_folded_by_hand(made: Plan, jobs: int) -> None:
    verdict, heard = run_heard(made, jobs=jobs)
    by_hand = folded_by_hand(made.root, {trial.id: trial.prompt for trial in made.trials})
    assert msgspec.structs.replace(verdict, because=()) == by_hand
    assert len(heard.of(journal.CellJudged)) == len(list(made.root.cells()))
    assert len(heard.of(journal.TrialEnded)) == len(made.trials)
