from __future__ import annotations

import json
from typing import Any

import pytest

from bylaw.evidence import Evidence, ToolCall
from bylaw.journal import Event, JournalError, JournalWriter, read_journal
from bylaw.report.json_report import render_json
from bylaw.verdict import State

from .journals import again, at, cell, concluded, ended, file, inside, judged, started, trial

RUN: tuple[Event, ...] = (
    started(
        file("r", title="Refund agent", kind="chaos contract", where=at(12, column=1), notes=("no minimum is set",)),
        inside("r", "s", title="inner"),
        cells=3,
    ),
    trial(
        "t",
        Evidence(
            events=(ToolCall(tool="refund", args={"z": 1, "a": 2}),),
            output="done",
            ms=12.5,
            reached=("f",),
            fired=("f",),
        ),
        prompt="refund it",
        scenario="outage",
        params={"model": "a"},
        replica=1,
        seed=3,
    ),
    cell("s", "polite", concluded("passed", trial="t")),
    cell(
        "s",
        "no-double-refund",
        concluded("failed", "twice", trial="t", about=(0,), code="repeated", details={"z": 1, "a": 2}),
        line=31,
        must=True,
    ),
    cell("r", "draft", concluded("failed", "no", trial="t"), binding=False, labels={"row": "draft", "column": "x"}),
    judged("s", "broken", "FAIL", low=0.5, high=0.5),
    judged("r", "broken", "FAIL", low=0.5, high=0.75),
    ended("broken", ms=99.0),
)


def document(*events: Event) -> Any:
    return json.loads(b"".join(render_json(again(*events))))


def test_the_document_says_everything_about_a_run() -> None:
    assert document(*RUN) == {
        "schema": 1,
        "version": "0.1.0",
        "at": 1_700_000_000.0,
        "seed": 7,
        "ms": 99.0,
        "verdict": {"state": "broken", "word": "broken", "low": None, "high": None},
        "exit_code": 1,
        "stopped": "",
        "counts": {"passed": 1, "failed": 1, "error": 0, "not_exercised": 0, "not_applicable": 0, "observed": 1},
        "tolerated": 0,
        "groups": [
            {
                "id": "r",
                "title": "Refund agent",
                "kind": "chaos contract",
                "where": {"file": "contracts/refunds.yaml", "line": 12, "column": 1},
                "notes": ["no minimum is set"],
                "verdict": {"state": "broken", "word": "FAIL", "low": 0.5, "high": 0.75},
                "cells": [
                    {
                        "id": "draft",
                        "standing": "observed",
                        "item": {
                            "id": "draft",
                            "kind": "contains",
                            "where": None,
                            "weight": 1.0,
                            "must": False,
                            "binding": False,
                            "data": {},
                        },
                        "labels": {"row": "draft", "column": "x"},
                        "verdict": {"state": "held", "word": "nothing enforced", "low": None, "high": None},
                        "findings": [
                            {
                                "trial": "t",
                                "outcome": "failed",
                                "score": 0.0,
                                "code": "",
                                "reason": "no",
                                "action": "",
                                "about": [],
                                "details": {},
                            }
                        ],
                    }
                ],
                "groups": [
                    {
                        "id": "s",
                        "title": "inner",
                        "kind": "",
                        "where": None,
                        "notes": [],
                        "verdict": {"state": "broken", "word": "FAIL", "low": 0.5, "high": 0.5},
                        "cells": [
                            {
                                "id": "polite",
                                "standing": "passed",
                                "item": {
                                    "id": "polite",
                                    "kind": "contains",
                                    "where": None,
                                    "weight": 1.0,
                                    "must": False,
                                    "binding": True,
                                    "data": {},
                                },
                                "labels": {},
                                "verdict": {"state": "held", "word": "held", "low": 1.0, "high": 1.0},
                                "findings": [
                                    {
                                        "trial": "t",
                                        "outcome": "passed",
                                        "score": 1.0,
                                        "code": "",
                                        "reason": "",
                                        "action": "",
                                        "about": [],
                                        "details": {},
                                    }
                                ],
                            },
                            {
                                "id": "no-double-refund",
                                "standing": "failed",
                                "item": {
                                    "id": "no-double-refund",
                                    "kind": "contains",
                                    "where": {"file": "contracts/refunds.yaml", "line": 31, "column": 5},
                                    "weight": 1.0,
                                    "must": True,
                                    "binding": True,
                                    "data": {},
                                },
                                "labels": {},
                                "verdict": {"state": "broken", "word": "broken", "low": 0.0, "high": 0.0},
                                "findings": [
                                    {
                                        "trial": "t",
                                        "outcome": "failed",
                                        "score": 0.0,
                                        "code": "repeated",
                                        "reason": "twice",
                                        "action": "",
                                        "about": [0],
                                        "details": {"a": 2, "z": 1},
                                    }
                                ],
                            },
                        ],
                        "groups": [],
                    }
                ],
            }
        ],
        "trials": [
            {
                "id": "t",
                "prompt": "refund it",
                "scenario": "outage",
                "params": {"model": "a"},
                "replica": 1,
                "seed": 3,
                "output": "done",
                "failure": None,
                "error": None,
                "ms": 12.5,
                "events": [
                    {
                        "type": "tool",
                        "tool": "refund",
                        "args": {"a": 2, "z": 1},
                    }
                ],
                "faults": [],
                "reached": ["f"],
                "fired": ["f"],
                "closed": [],
            }
        ],
    }


def test_keys_come_in_the_same_order_whatever_order_they_were_noted_in() -> None:
    def written(details: dict[str, int]) -> bytes:
        found = cell("r", "a", concluded("failed", "no", details=details))
        return b"".join(render_json(again(started(file("r")), found, judged("r", "broken"), ended("broken"))))

    assert written({"b": 1, "a": 2}) == written({"a": 2, "b": 1})
    assert list(document(*RUN))[:3] == ["schema", "version", "at"]


def test_a_journal_on_disk_gives_the_same_document(tmp_path: Any) -> None:
    path = tmp_path / "journal.jsonl"
    writer = JournalWriter(path)
    for event in RUN:
        writer(event)
    writer.close()
    assert b"".join(render_json(lambda: read_journal(path))) == b"".join(render_json(again(*RUN)))


@pytest.mark.parametrize(("state", "code"), [("held", 0), ("broken", 1), ("undecided", 3)])
def test_the_exit_code_is_in_it(state: State, code: int) -> None:
    assert document(started(), ended(state))["exit_code"] == code


def test_an_interrupted_run_is_undecided_and_says_so() -> None:
    stopped = document(started(file("r")), ended("undecided", stopped="interrupted"))
    assert (stopped["stopped"], stopped["groups"][0]["verdict"]) == ("interrupted", None)
    cut_off = document(*RUN[:3])
    assert (cut_off["exit_code"], cut_off["ms"]) == (3, None)
    assert cut_off["stopped"] == "the journal ends before the run does"


def test_an_empty_run_is_a_document_too() -> None:
    empty = document(started(), ended("undecided", "nothing judged"))
    assert (empty["groups"], empty["trials"], sum(empty["counts"].values())) == ([], [], 0)


def test_what_a_rule_tolerated_is_counted_beside_the_outcomes() -> None:
    found = document(
        started(file("r")),
        cell("r", "a", concluded("failed", "no")),
        cell("r", "b", concluded("passed")),
        judged("r", "held", "pass", low=0.5, high=0.5),
        ended("held"),
    )
    assert (found["counts"]["failed"], found["tolerated"]) == (1, 1)


def test_a_journal_with_two_beginnings_is_refused() -> None:
    with pytest.raises(JournalError, match="two beginnings"):
        document(started(), started(), ended("held"))
