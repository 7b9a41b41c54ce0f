"""Needs: asked at the right time, once, of whoever can see; an answer that is missing says why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bylaw import journal
from bylaw.errors import BylawError
from bylaw.evidence import Evidence, Need, Seen
from bylaw.plan import Surroundings, Trial, Unseen
from bylaw.verdict import Outcome

from .fakes import Room, Script, asking, cell, echo, plan, rule, run_heard, trial

BEFORE = Need(kind="rows", at="before")
AFTER = Need(kind="rows", at="after")


def seen_by(need: Need, expected: Any) -> Any:
    """A judgement: the answer is the expected one; without an answer there is none."""

    def judge(evidence: Evidence) -> Outcome:
        seen = evidence.look(need)
        if seen.unseen:
            return Outcome.error
        return Outcome.passed if seen.value == expected else Outcome.failed

    return judge


def test_needs_are_asked_inside_the_world_around_the_run() -> None:
    room = Room({"rows": 3, "file": "x"})

    async def work(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        assert surroundings is room
        room.log.append("run")
        return await echo(trial, surroundings)

    check = rule(seen_by(AFTER, 3), needs=asking(BEFORE, AFTER, Need(kind="file")))
    verdict, heard = run_heard(plan([trial("t1", Script(work), world=room)], cell("a", "t1", check=check)))
    assert room.log == ["enter t1", "before rows", "run", "after rows", "after file", "leave t1"]
    assert verdict.state == "held"
    seen = heard.evidence("t1").seen
    assert list(seen) == [BEFORE.key, AFTER.key, Need(kind="file").key]
    assert seen[BEFORE.key] == Seen(need=BEFORE, value=3)


def test_the_same_question_of_several_checks_is_asked_once() -> None:
    room = Room({"rows": 3})
    made = plan(
        [trial("t1", Script(), world=room)],
        *(cell(name, "t1", check=rule(seen_by(AFTER, 3), needs=asking(AFTER))) for name in "abc"),
    )
    verdict, _ = run_heard(made)
    assert verdict.state == "held"
    assert room.log.count("after rows") == 1


def test_what_to_ask_may_depend_on_the_evidence() -> None:
    room = Room({"file": "text"})

    def needs(evidence: Evidence | None) -> Iterable[Need]:
        return () if evidence is None else (Need(kind="file", ask=(("path", evidence.output or ""),)),)

    made = plan(
        [trial("t1", Script(), "notes.txt", world=room)], cell("a", "t1", check=rule(lambda _: OK, needs=needs))
    )
    _, heard = run_heard(made)
    (seen,) = heard.evidence("t1").seen.values()
    assert seen.need["path"] == "notes.txt"


OK = Outcome.passed


def test_a_question_for_before_can_not_be_asked_afterwards() -> None:
    room = Room({"rows": 3})
    late = rule(seen_by(BEFORE, 3), needs=lambda evidence: () if evidence is None else (BEFORE,))
    _, heard = run_heard(plan([trial("t1", Script(), world=room)], cell("a", "t1", check=late)))
    assert "before rows" not in room.log
    assert heard.finding("a").outcome is Outcome.error


def test_an_answerer_goes_before_the_world() -> None:
    room = Room({"rows": 3})

    async def judge_model(need: Need) -> Any:
        return {"asked": need["question"]}

    need = Need(kind="opinion", ask=(("question", "polite?"),))
    check = rule(seen_by(need, {"asked": "polite?"}), needs=asking(need))
    made = plan(
        [trial("in", Script(), world=room), trial("out", Script())],
        cell("a", "in", check=check),
        cell("b", "out", check=check),
    )
    verdict, _ = run_heard(made, answerers={"opinion": judge_model})
    assert verdict.state == "held"
    assert room.log == ["enter in", "leave in"]


def why(answer: object, *, world: bool = True) -> str:
    room = Room({"rows": answer}) if world else None
    check = rule(seen_by(AFTER, 3), needs=asking(AFTER))
    verdict, heard = run_heard(plan([trial("t1", Script(), world=room)], cell("a", "t1", check=check)))
    assert heard.finding("a").outcome is Outcome.error
    assert verdict.state == "undecided"
    return heard.evidence("t1").look(AFTER).unseen


def test_an_answer_that_is_missing_says_why() -> None:
    assert why(Unseen("there is no table `rows`")) == "there is no table `rows`"
    assert why(ConnectionError("refused")) == "could not be answered: ConnectionError: refused"
    assert why(BylawError("the service `db` has ended")) == "could not be answered: the service `db` has ended"
    assert why(TimeoutError()) == "could not be answered: TimeoutError"
    assert why(None, world=False) == "needs a sandbox: nothing around this trial can answer `rows`"


def test_a_later_trial_knows_how_an_earlier_one_ended() -> None:
    need = Need(kind="trial", ask=(("id", "base"),))
    subject = Script(slots=1)
    check = rule(seen_by(need, {"output": "passed", "failure": None, "error": None}), needs=asking(need))
    verdict, _ = run_heard(
        plan(
            [trial("base", subject), *(trial(f"t{n}", subject, after=["base"]) for n in range(3))],
            *(cell(f"c{n}", f"t{n}", check=check) for n in range(3)),
        )
    )
    assert verdict.state == "held"


def test_an_earlier_trial_that_broke_is_known_as_such() -> None:
    async def fail(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        raise BylawError("no such program")

    need = Need(kind="trial", ask=(("id", "base"),), at="before")
    made = plan(
        [trial("base", Script(fail)), trial("t1", Script(), after=["base"])],
        cell("a", "t1", check=rule(lambda _: OK, needs=asking(need))),
    )
    _, heard = run_heard(made)
    assert heard.evidence("t1").look(need).value == {
        "output": None,
        "failure": None,
        "error": "the agent could not be run: no such program",
    }


def test_a_trial_that_is_not_waited_for_is_not_known() -> None:
    need = Need(kind="trial", ask=(("id", "base"),))
    made = plan(
        [trial("base", Script()), trial("t1", Script())],
        cell("a", "t1", check=rule(lambda _: OK, needs=asking(need))),
    )
    _, heard = run_heard(made)
    unseen = heard.evidence("t1").look(need).unseen
    assert unseen == "trial `t1` does not wait for `base`, so its result is not known here"


def test_a_recording_is_not_asked_what_it_already_answers() -> None:
    kept = {need.key: Seen(need=need, value="recorded") for need in (BEFORE, AFTER)}

    async def replay(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        return Evidence(output="passed", seen=kept)

    made = plan(
        [trial("t1", Script(replay))],
        cell("a", "t1", check=rule(seen_by(AFTER, "recorded"), needs=asking(BEFORE, AFTER))),
        cell("b", "t1", check=rule(seen_by(BEFORE, "recorded"))),
    )
    verdict, heard = run_heard(made)
    assert verdict.state == "held"
    assert heard.evidence("t1").seen == kept


def test_a_check_that_can_not_ask_is_an_error_of_its_cell_alone() -> None:
    def needs(evidence: Evidence | None) -> Iterable[Need]:
        yield AFTER
        raise ZeroDivisionError("of rows")

    room = Room({"rows": 3})
    made = plan(
        [trial("t1", Script(), world=room)],
        cell("bad", "t1", check=rule(needs=needs)),
        cell("good", "t1", check=rule(seen_by(AFTER, 3), needs=asking(AFTER))),
    )
    _, heard = run_heard(made)
    assert (heard.finding("bad").code, heard.finding("bad").reason) == ("check_error", "ZeroDivisionError: of rows")
    assert heard.finding("good").outcome is Outcome.passed


def test_nothing_is_asked_about_a_trial_that_could_not_be_run() -> None:
    room = Room({"rows": 3})

    async def fail(trial: Trial, surroundings: Surroundings | None) -> Evidence:
        return Evidence(error="the recording is empty")

    check = rule(needs=asking(BEFORE, AFTER))
    _, heard = run_heard(plan([trial("t1", Script(fail), world=room)], cell("a", "t1", check=check)))
    assert room.log == ["enter t1", "before rows", "leave t1"]
    assert heard.finding("a").code == "trial_error"
    assert list(heard.evidence("t1").seen) == [BEFORE.key]
    assert heard.of(journal.Ended)[0].stopped == ""
