"""`bylaw pack run --traces` and `bylaw pack observe --traces`, from the door."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import msgspec
import pytest

from .exports import CALL, asks, chat, otlp, says, written

BYLAW = Path(sysconfig.get_path("scripts")) / "bylaw"
REFUND = """\
tool: refund
expected_tool_calls:
  - name: refund
    argument_invariants: [{ path: $.amount, type: number, lte: 500 }]
"""
TOO_MUCH = {**CALL, "arguments": {"order": "A-17", "amount": 900}}


def bylaw(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BYLAW, *arguments], cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    (tmp_path / "pack" / "contracts").mkdir(parents=True)
    (tmp_path / "pack" / "contracts" / "refund.yaml").write_text(REFUND)
    return tmp_path


def cases(ran: subprocess.CompletedProcess[str]) -> dict[str, str]:
    found: dict[str, str] = {}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("kind") == "case":
                found[value["title"].rpartition("/")[2]] = value["verdict"]["word"]
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(msgspec.json.decode(ran.stdout))
    return found


def test_answers_that_hold_pass(pack: Path) -> None:
    written(pack / "t.json", otlp(chat(parts=asks(CALL))))
    ran = bylaw(pack, "pack", "run", "pack", "--traces", "t.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "answers in the traces: 1" in ran.stderr


def test_one_answer_that_fails_breaks_the_run_and_is_shown(pack: Path) -> None:
    written(pack / "t.json", otlp(chat("a1", parts=asks(CALL)), chat("a2", 2, parts=asks(TOO_MUCH))))
    ran = bylaw(pack, "pack", "run", "pack", "--traces", "t.json")
    assert ran.returncode == 1
    assert "`$.amount` is 900; wanted `lte: 500`" in " ".join(ran.stdout.split())
    assert cases(bylaw(pack, "pack", "run", "pack", "--traces", "t.json", "--json")) == {"a1": "Pass", "a2": "Fail"}


def test_where_the_tool_was_on_offer_it_must_be_called(pack: Path) -> None:
    written(pack / "t.json", otlp(chat(parts=says("no"))))
    assert bylaw(pack, "pack", "run", "pack", "--traces", "t.json").returncode == 1


def test_a_loop_that_ends_in_text_holds_where_calls_are_judged(pack: Path) -> None:
    written(pack / "t.json", otlp(chat("a1", parts=asks(CALL)), chat("a2", 2, parts=says("done"))))
    assert bylaw(pack, "pack", "run", "pack", "--traces", "t.json", "--applies", "called").returncode == 0


def test_a_contract_that_no_answer_concerns_is_not_exercised(pack: Path) -> None:
    (pack / "pack" / "contracts" / "transfer.yaml").write_text("tool: transfer\nexpect_tools: [transfer]\n")
    written(pack / "t.json", otlp(chat(parts=asks(CALL))))
    ran = bylaw(pack, "pack", "run", "pack", "--traces", "t.json")
    assert ran.returncode == 3
    assert "no answer in the traces concerns this contract" in ran.stdout


def test_what_was_asked_is_not_judged_where_the_trace_does_not_tell(pack: Path) -> None:
    contract = "tool: refund\nassertions: { input_invariants: [{ path: $.messages, length_gte: 1 }] }\n"
    (pack / "pack" / "contracts" / "refund.yaml").write_text(contract)
    written(pack / "known.json", otlp(chat(parts=asks(CALL))))
    unknown: dict[str, Any] = {"gen_ai.input.messages": "[]"}
    written(pack / "unknown.json", otlp(chat(parts=asks(CALL), **unknown)))
    ran = [bylaw(pack, "pack", "run", "pack", "--traces", name).returncode for name in ("known.json", "unknown.json")]
    assert ran == [0, 3]


def test_traces_without_content_decide_nothing_and_say_so(pack: Path) -> None:
    written(pack / "t.json", otlp(chat()))
    ran = bylaw(pack, "pack", "run", "pack", "--traces", "t.json")
    assert ran.returncode == 3
    assert "passed over 1: a model call without its content" in ran.stderr


@pytest.mark.parametrize(
    "flags",
    [("--provider", "openai"), ("--repeat", "2"), ("--capture-recordings",)],
    ids=["live", "repeat", "capture"],
)
def test_nobody_is_asked_beside_traces(flags: tuple[str, ...], pack: Path) -> None:
    written(pack / "t.json", otlp(chat(parts=asks(CALL))))
    ran = bylaw(pack, "pack", "run", "pack", "--traces", "t.json", *flags)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "can't stand beside `--traces`" in ran.stderr


def test_a_file_that_is_not_there_is_misuse(pack: Path) -> None:
    assert bylaw(pack, "pack", "run", "pack", "--traces", "none.json").returncode == 2
    assert bylaw(pack, "pack", "observe", "--output", "new", "--traces", "none.json").returncode == 2


def test_drafts_from_traces_hold_for_them(pack: Path) -> None:
    spans = [chat("a1", parts=asks(CALL)), chat("a2", 2, parts=asks(TOO_MUCH))]
    written(pack / "t.json", otlp(*spans, chat("a3", 3)))
    written(pack / "whole.json", otlp(*spans))
    seen = bylaw(pack, "pack", "observe", "--output", "new", "--traces", "t.json")
    assert seen.returncode == 0, seen.stderr
    assert "refund: a draft from 2 answers" in seen.stdout
    assert "passed over 1: a model call without its content" in seen.stderr
    assert bylaw(pack, "pack", "promote", "new/contracts/refund.yaml").returncode == 0
    assert bylaw(pack, "pack", "run", "new", "--traces", "t.json").returncode == 3
    assert bylaw(pack, "pack", "run", "new", "--traces", "whole.json").returncode == 0
    assert bylaw(pack, "pack", "run", "new").returncode == 0


def test_drafts_come_from_one_place_at_a_time(pack: Path) -> None:
    written(pack / "t.json", otlp(chat(parts=asks(CALL))))
    both = bylaw(pack, "pack", "observe", "--output", "new", "--traces", "t.json", "--recordings", "pack")
    assert both.returncode == 2
