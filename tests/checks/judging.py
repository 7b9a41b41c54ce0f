"""Checks read from a line of YAML, and the evidence they are put to."""

from __future__ import annotations

from typing import Any, TypeVar

from bylaw.checks import CHECKS, Demand, ItemCheck
from bylaw.errors import Diagnostic
from bylaw.evidence import Evidence, Need, Seen, ToolCall
from bylaw.reader import Problems, parse, read
from bylaw.verdict import Finding, Item

ITEM = Item(id="it", kind="invariant")
D = TypeVar("D", bound=Demand)


def demand(kind: str, text: str = "{}") -> Demand:
    """The check a file says, with its fields read as from a file."""
    made, said = try_demand(kind, text)
    assert made is not None, said
    return made


def try_demand(kind: str, text: str) -> tuple[Demand | None, tuple[Diagnostic, ...]]:
    problems = Problems()
    node = parse(text, file="f.yaml", problems=problems)
    assert node is not None
    return read(CHECKS[kind], node, problems), problems.errors


def judged(of: Demand, evidence: Evidence, *, negate: bool = False) -> Finding:
    return ItemCheck(item=ITEM, demand=of, negate=negate).judge(evidence)


def answered(text: str | None, **more: Any) -> Evidence:
    return Evidence(output=text, **more)


def called(*calls: str | ToolCall | tuple[str, dict[str, Any]]) -> Evidence:
    """Tools by name, with their arguments where these matter."""
    events = []
    for one in calls:
        if isinstance(one, str):
            events.append(ToolCall(tool=one))
        elif isinstance(one, tuple):
            events.append(ToolCall(tool=one[0], args=one[1]))
        else:
            events.append(one)
    return Evidence(events=tuple(events))


def saw(need: Need, value: Any = None, *, unseen: str = "") -> Evidence:
    return Evidence(seen={need.key: Seen(need=need, value=value, unseen=unseen)})
