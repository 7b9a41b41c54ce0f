"""Models in a run of the harness: trials on slots, failures told, nothing spent that was not planned."""

from __future__ import annotations

import asyncio
from typing import Any

from bylaw import journal
from bylaw.checks import ItemCheck, ToolCalls
from bylaw.evidence import Evidence, ModelCall
from bylaw.harness import run_plan
from bylaw.models import Line, ModelSubject
from bylaw.plan import Cell, Cost, Group, Plan, Trial
from bylaw.scoring import AllHold
from bylaw.testing import ScriptedModel
from bylaw.verdict import Item, Verdict

from .lines import BOOKED, ENVIRONMENT, Clock, model_of


def plan_of(line: Line, *cases: str) -> Plan:
    trials = tuple(
        Trial(id=case, subject=ModelSubject(line=line, request=_request(case), timing=Clock().timing))
        for case in cases
    )
    check = ItemCheck(item=Item(id="tools", kind="expectation"), demand=ToolCalls(expect_tools=("book",)))
    cells = tuple(Cell(id=f"{case}/tools", check=check, trials=(case,), fold=AllHold()) for case in cases)
    return Plan(trials=trials, root=Group(id="root", fold=AllHold(), members=cells))


def _request(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def run(plan: Plan, *, jobs: int) -> tuple[Verdict, dict[str, Evidence]]:
    events: list[journal.Event] = []
    verdict = asyncio.run(run_plan(plan, jobs=jobs, listen=[events.append]))
    return verdict, {event.trial: event.evidence for event in events if isinstance(event, journal.TrialEnded)}


def test_every_case_is_asked_once_over_one_line() -> None:
    cases = [f"case {number}" for number in range(12)]
    with ScriptedModel.from_answers({**BOOKED, "times": 12}) as server:
        plan = plan_of(Line(model_of("openai", server.url), environment=ENVIRONMENT), *cases)
        verdict, _ = run(plan, jobs=6)
    server.verify()
    assert verdict.state == "held"
    assert plan.cost() == Cost(model_calls=12)


def test_a_failure_breaks_its_own_case_only() -> None:
    refusal = {"when": {"contains": "broken"}, "status": 400}
    with ScriptedModel.from_answers(refusal, {**BOOKED, "times": 2}) as server:
        plan = plan_of(Line(model_of("anthropic", server.url), environment=ENVIRONMENT), "one", "broken", "two")
        verdict, evidence = run(plan, jobs=2)
    assert verdict.state == "broken"
    kinds = {case: _kind(found) for case, found in evidence.items()}
    assert kinds == {"one": None, "broken": "bad_request", "two": None}


def test_a_missing_key_leaves_the_run_undecided_and_says_so() -> None:
    verdict, evidence = run(plan_of(Line(model_of("gemini", "http://127.0.0.1:1"), environment={}), "one"), jobs=1)
    assert verdict.state == "undecided"
    assert "there is no key for `gemini`: set `GEMINI_API_KEY`" in str(evidence["one"].error)


def _kind(evidence: Evidence) -> str | None:
    asked = evidence.events[0]
    assert isinstance(asked, ModelCall)
    return None if asked.failure is None else asked.failure.kind
