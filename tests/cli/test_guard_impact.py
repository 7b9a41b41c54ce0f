"""`bylaw guard impact`: what a bundle would change on recorded traffic."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from bylaw.guard.audit import FileSink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard

from .command import BUNDLE, Done, bylaw, write

LOOSER = BUNDLE.replace("gt: 500", "gt: 900").replace("501", "901").replace("amount: 500", "amount: 900")
TIGHTER = BUNDLE.replace("gt: 500", "gt: 100").replace("501", "101").replace("amount: 500", "amount: 100")
ON_TOKEN = BUNDLE.replace("args.amount: { gt: 500 }", "args.token: { equals: '500' }").split("    examples")[0]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A log of refunds of 50, 300, 600 and 1,200 under `old.yaml`."""
    write(tmp_path, {"old.yaml": BUNDLE, "looser.yaml": LOOSER, "tighter.yaml": TIGHTER, "token.yaml": ON_TOKEN})
    guard = Guard.from_yaml(tmp_path / "old.yaml", audit_sink=FileSink(tmp_path / "audit.jsonl"))
    for amount in (50, 300, 600, 1_200):
        with suppress(Denied):  # some are, and that is recorded
            guard.run_sync("refund", {"amount": amount, "token": "500"}, lambda **_: "done")
    guard.close()
    return tmp_path


def impact(cwd: Path, *arguments: str) -> Done:
    return bylaw("guard", "impact", *arguments, "--audit-log", "audit.jsonl", cwd=cwd)


def test_nothing_changes(recorded: Path) -> None:
    done = impact(recorded, "old.yaml", "--fail-on", "changed")
    assert (done.code, done.err) == (0, "")
    assert done.out == "compared 4 calls with what was decided: 0 changed, 4 the same\n"


def test_loosened_calls_with_examples(recorded: Path) -> None:
    done = impact(recorded, "looser.yaml")
    assert done.code == 0
    first, second, example, last = done.out.splitlines()
    assert first == "loosened: 1 (denied before, allowed now)"
    assert second == "  `cap`: 1 call"
    assert example.endswith(' refund {"amount":600,"token":"[redacted]"}  (audit.jsonl:5)')
    assert last == "compared 4 calls with what was decided: 1 changed, 3 the same"


@pytest.mark.parametrize(
    ("new", "fail_on", "code"),
    [
        ("looser.yaml", "loosened", 1),
        ("looser.yaml", "changed", 1),
        ("tighter.yaml", "loosened", 0),
        ("tighter.yaml", "changed", 1),
        ("token.yaml", "loosened", 3),
    ],
)
def test_failing_on_what_one_does_not_want(new: str, fail_on: str, code: int, recorded: Path) -> None:
    assert impact(recorded, new, "--fail-on", fail_on).code == code


def test_what_was_redacted_is_undecided(recorded: Path) -> None:
    done = impact(recorded, "token.yaml", "--examples", "0")
    assert done.code == 3
    assert done.out == (
        "undecided: 4 calls\n"
        "  `cap`: 4 calls, because `args.token` was redacted\n"
        "compared 4 calls with what was decided: 0 changed, 0 the same, 4 undecided\n"
    )


def test_against_another_bundle(recorded: Path) -> None:
    done = impact(recorded, "looser.yaml", "--old", "tighter.yaml")
    assert done.code == 0
    assert "loosened: 2 (denied before, allowed now)" in done.out
    assert "compared 4 calls with the old bundles: 2 changed, 2 the same" in done.out


def test_as_json(recorded: Path) -> None:
    done = impact(recorded, "looser.yaml", "--json", "--examples", "1")
    found = done.json
    assert (done.code, found["schema"], found["old"]) == (0, 1, None)
    assert (found["calls"], found["changed"], found["unchanged"], found["undecided"]) == (4, 1, 3, 0)
    assert found["totals"] == {"loosened": 1, "tightened": 0, "moved": 0, "observed": 0, "unobserved": 0} | {
        "warned": 0,
        "unwarned": 0,
    }
    (change,) = found["changes"]
    assert (change["kind"], change["contract"], change["count"]) == ("loosened", "cap", 1)
    (example,) = change["examples"]
    assert (example["tool"], example["args"]) == ("refund", {"amount": 600, "token": "[redacted]"})


def test_broken_lines_are_said(recorded: Path) -> None:
    with (recorded / "audit.jsonl").open("a") as log:
        log.write("\x1b[31mno\n" * 20)
    done = impact(recorded, "old.yaml")
    assert done.code == 3
    assert "lines without an event: 20\n  audit.jsonl:7: this is not an audit event: " in done.out
    assert "  and 10 more\n" in done.out


def test_a_log_without_a_call_decides_nothing(recorded: Path) -> None:
    (recorded / "audit.jsonl").write_bytes(b"")
    done = impact(recorded, "old.yaml")
    assert (done.code, done.out) == (3, "nothing was compared: there is no call in the log\n")


def test_a_file_given_twice_is_read_once(recorded: Path) -> None:
    done = impact(recorded, "old.yaml", "--audit-log", "./audit.jsonl")
    assert done.out.startswith("compared 4 calls")


@pytest.mark.parametrize(
    "arguments",
    [
        ("guard", "impact", "old.yaml"),
        ("guard", "impact", "old.yaml", "--audit-log", "none.jsonl"),
        ("guard", "impact", "none.yaml", "--audit-log", "audit.jsonl"),
        ("guard", "impact", "old.yaml", "--audit-log", "audit.jsonl", "--old", "none.yaml"),
        ("guard", "impact", "old.yaml", "--audit-log", "audit.jsonl", "--fail-on", "tightened"),
    ],
)
def test_misuse(arguments: tuple[str, ...], recorded: Path) -> None:
    done = bylaw(*arguments, cwd=recorded)
    assert (done.code, done.out) == (2, "")
    assert done.err
