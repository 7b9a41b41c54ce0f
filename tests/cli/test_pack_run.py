"""`bylaw pack run` on recordings: what it says of answers that are right, and of each way to be wrong."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import msgspec
import pytest

from .command import bylaw, write
from .packs import CONTRACT, PACK, RIGHT, asked, findings, golden, pack, recorded, run, words

WRONG: dict[str, tuple[Any, str]] = {
    "unexpected_error": (
        {"error": {"message": "overloaded", "type": "server_error", "code": None}},
        "the model gave no answer",
    ),
    "tool_not_invoked": (recorded(text="Of course!"), "no tool was called; `issue_refund` was expected"),
    "wrong_tool": (
        recorded(asked("close_order", id="A-17")),
        "`issue_refund` was not called; called were `close_order`",
    ),
    "malformed_arguments": (
        recorded({"name": "issue_refund", "arguments": '{"order_id": "A-'}),
        "the arguments of `issue_refund` are not a JSON object",
    ),
    "schema_violation": (recorded(asked(order_id="A-17", amount=101)), "`$.amount` is 101; wanted `lte: 100`"),
}
SHAPES: dict[str, Any] = {
    "openai": {
        "id": "r1",
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "issue_refund", "arguments": '{"order_id":"A-17","amount":20}'},
                        }
                    ],
                },
            }
        ],
    },
    "responses": {
        "id": "r1",
        "object": "response",
        "status": "completed",
        "model": "m",
        "output": [
            {
                "type": "function_call",
                "id": "fc1",
                "call_id": "c1",
                "name": "issue_refund",
                "arguments": '{"order_id":"A-17","amount":20}',
            }
        ],
    },
    "anthropic": {
        "id": "r1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": "tool_use",
        "content": [
            {"type": "tool_use", "id": "c1", "name": "issue_refund", "input": {"order_id": "A-17", "amount": 20}}
        ],
        "usage": {"input_tokens": 9, "output_tokens": 9},
    },
    "gemini": {
        "modelVersion": "m",
        "candidates": [
            {
                "finishReason": "STOP",
                "content": {
                    "role": "model",
                    "parts": [{"functionCall": {"name": "issue_refund", "args": {"order_id": "A-17", "amount": 20}}}],
                },
            }
        ],
    },
}


def fingerprint(out: str) -> str:
    """The line of the one case, with how it was called taken off."""
    return next(line for line in out.splitlines() if line.endswith("#asks")).split()[0]


def test_an_answer_that_is_right(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()))
    done = run(tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "asks  Pass  100%  1 passed" in done.out
    assert "HELD" in done.out


@pytest.mark.parametrize("kind", WRONG)
def test_each_class_of_failure(tmp_path: Path, kind: str) -> None:
    answer, why = WRONG[kind]
    pack(tmp_path, response=answer)
    done = run(tmp_path, "--json")
    assert done.code == 1
    outcome, code, reason = findings(done)["asks/tool_calls"]
    assert (outcome, code) == ("failed", kind)
    assert why in reason


@pytest.mark.parametrize("kind", WRONG)
def test_a_case_may_ask_for_each_class(tmp_path: Path, kind: str) -> None:
    must_fail = CONTRACT.replace(".json }", f".json, expect_ok: false, expected_error: {kind} }}")
    pack(tmp_path, contract=must_fail, response=WRONG[kind][0])
    assert run(tmp_path).code == 0
    pack(tmp_path, contract=must_fail, response=recorded(asked()))
    assert run(tmp_path).code == 1


def test_a_failure_shows_the_nearest_call_the_operator_and_the_line(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked(order_id="B-1", amount=500), asked(order_id="A-1", amount=500)))
    done = run(tmp_path)
    told = " ".join(done.out.split())
    assert "no call serves `issue_refund` (line 3): `$.amount` is 500; wanted `lte: 100`" in told
    assert f"{PACK}/contracts/refund.yaml:2:1" in told
    assert 'issue_refund(order_id="A-1", amount=500)' in told


@pytest.mark.parametrize(
    ("old", "new", "code", "kind"),
    [
        ("small", "small", 0, "passed"),
        ("issue_refund", "close_order", 1, "wrong_tool"),
        ("20", "200", 1, "schema_violation"),
    ],
    ids=["right", "wrong-tool", "wrong-arguments"],
)
def test_one_pack_has_the_same_verdict_whoever_answered(
    tmp_path: Path, old: str, new: str, code: int, kind: str
) -> None:
    marks = set()
    for name, shape in SHAPES.items():
        raw = msgspec.json.encode(shape).decode().replace(old, new)
        pack(tmp_path / name, **{"recordings/refund.success.recording.json": raw})
        done = run(tmp_path / name, "--verbose")
        assert (done.code, kind in done.out) == (code, True), name
        marks.add(fingerprint(done.out))
    assert len(marks) == 1


def test_a_fingerprint_is_of_the_outcome_and_not_of_the_words(tmp_path: Path) -> None:
    seen = []
    for name, response in {
        "a": {"id": "1", "model": "x", **recorded(asked(), text="Here you are.")},
        "elsewhere/b": {"id": "2", "model": "y", **recorded(asked(), text="Done!")},
        "c": recorded(asked(order_id="A-17", amount=21), text="Done!"),
    }.items():
        pack(tmp_path / name, response=response)
        seen.append(fingerprint(run(tmp_path / name, "-v").out))
    assert seen[0] == seen[1] != seen[2]
    assert all(len(mark) == 8 and int(mark, 16) >= 0 for mark in seen)


def test_no_secret_shows_in_a_fingerprint(tmp_path: Path) -> None:
    marks = set()
    for name, password in (("a", "hunter2hunter2"), ("b", "swordfish99")):
        pack(
            tmp_path / name, response=recorded({"name": "issue_refund", "arguments": {**RIGHT, "password": password}})
        )
        marks.add(fingerprint(run(tmp_path / name, "-v").out))
    assert len(marks) == 1


def test_only_some_contracts(tmp_path: Path) -> None:
    other = CONTRACT.replace("issue_refund", "close_order")
    pack(tmp_path, response=recorded(asked()), **{"contracts/close.yaml": other})
    assert run(tmp_path).code == 1
    for named in ("refund", "refund.yaml", "contracts/refund.yaml"):
        done = run(tmp_path, "--only-contracts", named)
        assert (done.code, done.err) == (0, "contracts that were not asked for: 1\n")
    assert run(tmp_path, "--only_contracts", "refund,close").code == 1
    assert run(tmp_path, "--max_contracts", "1").code == 1
    missing = run(tmp_path, "--only-contracts", "refund,refnd")
    assert missing.code == 2
    assert "the pack has no contract `refnd`" in missing.err


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "there is no pack here"),
        ({"notes.txt": "none"}, "this pack has no contract"),
        ({"contracts/notes.txt": "none"}, "this pack has no contract"),
        ({"contracts/a.yaml": "tool: a\nexpect_tools: [a]\n"}, "`golden_cases` is missing"),
        ({"contracts/a.yaml": "tool: a\ngolden_cases: []\n"}, "too-few"),
    ],
    ids=["nothing", "empty", "no-contract", "no-cases", "empty-cases"],
)
def test_a_pack_with_nothing_to_judge_is_no_success(tmp_path: Path, files: dict[str, str], says: str) -> None:
    write(tmp_path / PACK, files)
    done = run(tmp_path)
    assert done.code == 2
    assert says in done.err


def test_a_pack_that_lists_no_contract_is_no_success(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()), **{"pack.yaml": "name: orders\ncontracts: []\n"})
    done = run(tmp_path)
    assert done.code == 3
    assert "nothing was judged" in done.out


def test_cases_that_are_all_left_out_are_no_success(tmp_path: Path) -> None:
    pack(
        tmp_path,
        contract=CONTRACT.replace(".json }", ".json, provider_modes: [openai] }"),
        response=recorded(asked()),
    )
    done = run(tmp_path)
    assert done.code == 3
    assert "UNDECIDED" in done.out


def test_a_pack_of_drafts_enforces_nothing_and_says_so(tmp_path: Path) -> None:
    pack(
        tmp_path,
        contract=CONTRACT.replace("tool: issue", "status: observed\ntool: issue"),
        response=recorded(text="no"),
    )
    done = run(tmp_path)
    assert done.code == 0
    assert "a draft (`status: observed`)" in done.out
    assert "NOTHING IS ENFORCED" in done.out


def test_a_case_is_judged_where_it_says(tmp_path: Path) -> None:
    both = CONTRACT + "  - { id: live, input_ref: refund.success.json, provider_modes: [openai, gemini] }\n"
    pack(tmp_path, contract=both, response=recorded(asked()))
    done = run(tmp_path, "--json")
    assert (done.code, words(done)) == (0, {"asks": "Pass"})
    assert done.json["groups"][0]["notes"] == ["not judged on answers of recorded, as `provider_modes` says: `live`"]


def test_reports_for_machines(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(text="no"))
    done = run(tmp_path, "--json", "--junit", "junit.xml", "--journal", "journal.jsonl")
    assert (done.code, done.json["exit_code"], words(done)) == (1, 1, {"asks": "Fail"})
    (failure,) = ET.parse(tmp_path / "junit.xml").iter("failure")
    assert "tool_not_invoked" in f"{failure.attrib}{failure.text}"
    assert (tmp_path / "journal.jsonl").read_bytes().count(b"\n") > 3


def test_the_side_effect_is_carried_into_the_report(tmp_path: Path) -> None:
    pack(tmp_path, contract=f"side_effect: write\n{CONTRACT.lstrip()}", response=recorded(asked()))
    (contract,) = run(tmp_path, "--json").json["groups"]
    assert contract["groups"][0]["cells"][0]["item"]["data"] == {"side_effect": "write"}


def test_validating_a_pack(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()))
    done = bylaw("pack", "validate", PACK, cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "valid: 1 contract with 1 case\n", "")
    pack(tmp_path, contract=CONTRACT.replace("regex: '^A-'", "regx: '^A-'"))
    wrong = bylaw("pack", "validate", PACK, cwd=tmp_path)
    assert (wrong.code, wrong.out) == (2, "")
    assert "did you mean `regex`?" in wrong.err


def test_a_golden_file_that_can_t_be_read_is_not_reproducible(tmp_path: Path) -> None:
    pack(tmp_path, **{"golden/refund.success.json": golden(recorded(asked()))[:-9]})
    done = run(tmp_path, "--json")
    assert (done.code, words(done)) == (3, {"asks": "NonReproducible"})
    assert findings(done)["asks/tool_calls"][1] == "recording_unreadable"


def test_contracts_on_the_same_tool_are_told_apart_by_their_files(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(text="no"), **{"contracts/again.yaml": CONTRACT})
    done = run(tmp_path)
    assert done.code == 1
    closing = " ".join(done.out.split())
    assert (
        "BROKEN: `issue_refund (contracts/again.yaml)`, `issue_refund (contracts/refund.yaml)` do not hold."
        in closing
    )
