"""`bylaw run`: one exit code for all files, and reports that agree with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bylaw.journal import CellJudged, Ended, Started, TrialEnded, read_journal

from .command import BROKEN_BUNDLE, BUNDLE, FIVE_MISTAKES, NOT_REPRODUCIBLE, bylaw, spec, write

AGENT = """
def lookup(key):
    return f"the value of {key}"

def answer(prompt):
    try:
        return lookup(prompt)
    except Exception:
        return "no idea"
"""
SHAKY = """
version: "2.0"
agent: { type: python, endpoint: "agent:answer", tools: ["agent:lookup"] }
golden_prompts: [a, b, c, d, e, f, g, h]
contract: { name: shaky, invariants: [{ id: finds, type: contains, value: the value }] }
chaos_matrix: [{ name: shaky, tool_faults: [{ tool: lookup, mode: error, probability: 0.5 }] }]
"""


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        (["held.yaml"], 0, "HELD"),
        (["held.yaml", "undecided.yaml"], 3, "UNDECIDED"),
        (["held.yaml", "undecided.yaml", "broken.yaml"], 1, "BROKEN"),
    ],
)
def test_broken_before_undecided_before_held(files: list[str], code: int, said: str, tmp_path: Path) -> None:
    write(tmp_path, {"held.yaml": BUNDLE, "broken.yaml": BROKEN_BUNDLE, "undecided.yaml": NOT_REPRODUCIBLE})
    done = bylaw("run", *files, cwd=tmp_path)
    assert done.code == code
    assert f"\n{said}: " in done.out
    assert done.err == ""


def test_one_invalid_file_and_nothing_runs(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"spec.yaml": spec(f"touch {tmp_path}/ran"), "bad.yaml": FIVE_MISTAKES, "broken.yaml": BROKEN_BUNDLE},
    )
    done = bylaw("run", "spec.yaml", "broken.yaml", "bad.yaml", "--journal", "journal.jsonl", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "5 errors in 1 file" in done.err
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "journal.jsonl").exists()


def test_no_contract_file_is_no_success(tmp_path: Path) -> None:
    write(tmp_path, {"deploy/values.yaml": "replicas: 3\n"})
    done = bylaw("run", "deploy", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "bylaw: no contract file found; looked at deploy\n"


def test_the_report_says_what_failed_and_where(tmp_path: Path) -> None:
    write(tmp_path, {"broken.yaml": BROKEN_BUNDLE})
    done = bylaw("run", "broken.yaml", cwd=tmp_path)
    assert "FAILED  cap: deny example 1" in done.out
    assert "broken.yaml:11:24" in done.out
    assert "[does_not_fire]" in done.out


def test_verbose_names_everything_that_passed(tmp_path: Path) -> None:
    many = ", ".join(f"{{ args: {{ amount: {amount} }} }}" for amount in range(501, 561))
    write(tmp_path, {"bundle.yaml": BUNDLE.replace("{ args: { amount: 501 } }", many)})
    brief, full = (bylaw("run", "bundle.yaml", *more, cwd=tmp_path) for more in ([], ["-v"]))
    assert (brief.code, full.code) == (0, 0)
    assert "61 passed" in brief.out
    assert "cap: deny example 60" not in brief.out
    assert "cap: deny example 60" in full.out


def test_json_is_all_there_is_on_stdout(tmp_path: Path) -> None:
    write(
        tmp_path, {"broken.yaml": BROKEN_BUNDLE, "warned.yaml": BUNDLE.replace("{ gt: 500 }", r"{ matches: '\\d' }")}
    )
    done = bylaw("run", "--json", ".", cwd=tmp_path)
    assert done.code == 1
    assert "warning[double-escaped]" in done.err
    document = done.json
    assert (document["exit_code"], document["verdict"]["state"]) == (1, "broken")
    assert [group["id"] for group in document["groups"]] == ["broken.yaml", "warned.yaml"]


def test_junit_has_a_test_case_per_cell(tmp_path: Path) -> None:
    write(tmp_path, {"broken.yaml": BROKEN_BUNDLE, "undecided.yaml": NOT_REPRODUCIBLE})
    done = bylaw("run", ".", "--junit", "junit.xml", cwd=tmp_path)
    assert done.code == 1
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    cases = list(root.iter("testcase"))
    assert len(cases) == 3
    assert len(list(root.iter("failure"))) == 1
    assert len(list(root.iter("error"))) == 1


def test_the_journal_is_kept_where_it_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE})
    done = bylaw("run", "bundle.yaml", "--seed", "5", "--journal", "run.jsonl", "--json", cwd=tmp_path)
    events = list(read_journal(tmp_path / "run.jsonl"))
    begun, ended = events[0], events[-1]
    assert isinstance(begun, Started)
    assert isinstance(ended, Ended)
    assert (begun.seed, begun.files) == (5, ("bundle.yaml",))
    assert len([event for event in events if isinstance(event, TrialEnded)]) == begun.trials == 2
    judged = {event.cell: event.verdict.state for event in events if isinstance(event, CellJudged)}
    assert judged == {cell["id"]: cell["verdict"]["state"] for cell in done.json["groups"][0]["cells"]}
    assert ended.verdict.state == done.json["verdict"]["state"] == "held"


def test_a_journal_of_an_earlier_run_is_replaced(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE})
    for _ in range(2):
        bylaw("run", "bundle.yaml", "--journal", "run.jsonl", cwd=tmp_path)
    assert [type(event) for event in read_journal(tmp_path / "run.jsonl")].count(Started) == 1


@pytest.mark.parametrize("option", ["--journal", "--junit"])
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("spec.yaml/report", "can't write to spec.yaml/report"),
        ("spec.yaml", "spec.yaml is a contract file of this run and would be overwritten"),
        (".", "is a directory"),
        ("reports/latest/r", "can't write to reports/latest/r: there is no directory reports/latest"),
    ],
)
def test_a_report_that_cant_be_written_is_told_before_anything_runs(
    option: str, place: str, said: str, tmp_path: Path
) -> None:
    written = write(tmp_path, {"spec.yaml": spec(f"touch {tmp_path}/ran")}) / "spec.yaml"
    before = written.read_text()
    done = bylaw("run", "spec.yaml", option, place, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "ran").exists()
    assert written.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["spec.yaml"]


def test_a_dry_run_counts_and_runs_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": BUNDLE, "spec.yaml": spec(f"touch {tmp_path}/ran", replicas=3)})
    write(tmp_path, {"agent.py": f"open({str(tmp_path / 'imported')!r}, 'w')\n{AGENT}", "chaos.yaml": SHAKY})
    done = bylaw("run", "--dry-run", ".", "--journal", "run.jsonl", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "bundle.yaml: CallGuard bundle `refunds`: 2 cells on 2 trials",
        "chaos.yaml: Flakestorm contract `shaky`: 1 cells on 8 trials",
        "spec.yaml: Keystone spec `spec`: 3 cells on 3 trials",
        "would run 13 trials: 11 agent calls and 0 model calls of our own",
    ]
    assert not any((tmp_path / name).exists() for name in ("ran", "imported", "run.jsonl"))


def test_a_dry_run_of_an_invalid_file_is_invalid(tmp_path: Path) -> None:
    write(tmp_path, {"bundle.yaml": FIVE_MISTAKES})
    done = bylaw("run", "--dry-run", "bundle.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")


def findings(document: Any) -> dict[str, list[str]]:
    cells = [cell for group in document["groups"] for cell in group["cells"]]
    return {cell["id"]: [found["outcome"] for found in cell["findings"]] for cell in cells}


def test_one_seed_one_result_at_any_number_of_jobs(tmp_path: Path) -> None:
    write(tmp_path, {"agent.py": AGENT, "chaos.yaml": SHAKY})
    one, many, other = (
        findings(bylaw("run", "chaos.yaml", "--json", *options, cwd=tmp_path).json)
        for options in (["--seed", "1", "--jobs", "1"], ["--seed", "1", "-j", "4"], ["--seed", "2"])
    )
    assert one == many
    assert one != other
    assert set(one["chaos.yaml#finds @ shaky"]) == {"passed", "failed"}
