"""What a conclusion rests on, as short labelled lines. The text in them is not yet made safe."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bylaw.evidence import Answer, Effect, Event, Evidence, ModelCall, ToolCall
from bylaw.journal import CellJudged, Conclusion, TrialEnded
from bylaw.report.safe_text import first_lines
from bylaw.report.standing import telling
from bylaw.report.survey import Events, Survey

LONGEST = 600
CALLS_SHOWN = 6
OUTPUT_LINES = 4
CONCLUSIONS_SHOWN = 3

Excerpt = tuple[tuple[str, str], ...]


def alike(conclusions: Iterable[Conclusion]) -> list[tuple[Conclusion, int]]:
    """Conclusions that say the same, once, with how many say it."""
    counts: dict[tuple[str, str, str], tuple[Conclusion, int]] = {}
    for conclusion in conclusions:
        key = (conclusion.outcome, conclusion.code, conclusion.reason)
        first, count = counts.get(key, (conclusion, 0))
        counts[key] = (first, count + 1)
    return list(counts.values())


def excerpts(events: Events, survey: Survey, *, everything: bool = False) -> dict[tuple[str, str], Excerpt]:
    """For every (cell, trial) worth showing what it rests on; one more reading, and none where all passed."""
    wanted: dict[str, list[tuple[CellJudged, Conclusion]]] = {}
    for group in survey.groups.values():
        for cell in group.telling:
            found = alike(telling(cell))
            for conclusion, _ in found if everything else found[:CONCLUSIONS_SHOWN]:
                if conclusion.trial is not None:
                    wanted.setdefault(conclusion.trial, []).append((cell, conclusion))
    made: dict[tuple[str, str], Excerpt] = {}
    if wanted:
        for event in events():
            if isinstance(event, TrialEnded):
                for cell, conclusion in wanted.get(event.trial, ()):
                    made[cell.cell, event.trial] = excerpt(event, conclusion, everything=everything)
    return made


def excerpt(trial: TrialEnded, conclusion: Conclusion, *, everything: bool = False) -> Excerpt:
    """With `everything` also the check's own details and the seed, for whoever looks deeper."""
    evidence = trial.evidence
    lines: list[tuple[str, str]] = []
    if trial.prompt:
        lines.append(("prompt", trial.prompt[:LONGEST]))
    if world := _world(trial):
        lines.append(("scenario", world))
    if faults := _faults(trial.faults, evidence):
        lines.append(("faults", faults))
    lines += [("calls", line) for line in _calls(evidence, conclusion)]
    if "closest" in conclusion.details:
        lines.append(("closest", _closest(conclusion.details["closest"])))
    for label, problem in (("agent", evidence.failure), ("error", evidence.error)):
        if problem and problem not in conclusion.reason:
            lines.append((label, problem[:LONGEST]))
    lines += [("output", line) for line in _output(evidence)]
    if everything:
        lines += [("details", line) for line in _details(conclusion)]
        lines.append(("seed", str(trial.seed)))
    lines.append(("trial", trial.trial))
    return tuple(lines)


def _world(trial: TrialEnded) -> str:
    params = [f"{key}={value}" for key, value in trial.params.items()]
    replica = [f"replica {trial.replica + 1}"] if trial.replica else []
    return ", ".join([trial.scenario, *params, *replica] if trial.scenario else [*params, *replica])


def _faults(planned: tuple[str, ...], evidence: Evidence) -> str:
    passed_by = [fault for fault in evidence.reached if fault not in evidence.fired]
    parts = []
    if evidence.fired:
        parts.append("fired: " + ", ".join(evidence.fired))
    if passed_by:
        parts.append("reached, did not fire: " + ", ".join(passed_by))
    if missed := [fault for fault in planned if fault not in (*evidence.reached, *evidence.closed)]:
        parts.append("not reached: " + ", ".join(missed))
    if evidence.closed:
        parts.append("could not stand between: " + ", ".join(evidence.closed))
    return "; ".join(parts)


def _calls(evidence: Evidence, conclusion: Conclusion) -> list[str]:
    named = [place for place in conclusion.about if 0 <= place < len(evidence.events)]
    if named:
        lines = [f"[{place}] {describe(evidence.events[place])}" for place in named[:CALLS_SHOWN]]
        more = len(named) - CALLS_SHOWN
        return [*lines, f"and {more} more"] if more > 0 else lines
    made = Counter(call.tool for call in evidence.calls)
    names = [tool if count == 1 else f"{tool} x{count}" for tool, count in made.items()]
    return [", ".join(names)[:LONGEST]] if names else []


def describe(event: Event) -> str:
    """One thing the agent did, in a line."""
    match event:
        case ToolCall():
            given = f"malformed: {event.malformed}" if event.malformed is not None else _arguments(event.args)
            changed = f" (fault: {', '.join(event.faults)})" if event.faults else ""
            return f"{event.tool}({given[:LONGEST]}) -> {_answer(event.answer)}{changed}"
        case ModelCall():
            model = event.request.get("model", "model")
            answer = "no answer" if event.response is None else _json(event.response)
            changed = f" (fault: {', '.join(event.faults)})" if event.faults else ""
            return f"{model} -> {answer[:LONGEST]}{changed}"
        case Effect():
            return f"{event.kind} {_json(event.detail)[:LONGEST]}"


def _answer(answer: Answer | None) -> str:
    if answer is None:
        return "no answer"
    if answer.raised is not None:
        return f"raised {answer.raised[:LONGEST]}"
    return (answer.text or "nothing")[:LONGEST]


def _arguments(args: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={_json(value)}" for key, value in args.items())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _closest(value: object) -> str:
    if isinstance(value, str):
        return value[:LONGEST]
    if isinstance(value, Mapping) and isinstance(value.get("tool"), str) and isinstance(value.get("args"), Mapping):
        return f"{value['tool']}({_arguments(value['args'])})"[:LONGEST]
    return _json(value)[:LONGEST]


def _details(conclusion: Conclusion) -> Iterator[str]:
    """A text of several lines, such as a traceback, keeps them."""
    for key, value in conclusion.details.items():
        if isinstance(value, str) and "\n" in value:
            yield f"{key}:"
            yield from value.strip("\n").split("\n")
        elif key != "closest":
            yield f"{key}: {_json(value)[:LONGEST]}"


def _output(evidence: Evidence) -> list[str]:
    if evidence.output is None:
        return []
    if not evidence.output.strip():
        return ["(empty)"]
    lines, more = first_lines(evidence.output, count=OUTPUT_LINES, characters=LONGEST * OUTPUT_LINES)
    return [*lines, f"({len(evidence.output):,} characters in all)"] if more else lines
