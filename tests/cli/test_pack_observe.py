"""`bylaw pack observe`, `run` and `promote`, one after the other in a directory with nothing else in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.guard.audit import FileSink
from bylaw.guard.guard import Guard

from .command import Done, bylaw, write
from .packs import PACK, PROVIDERS, REQUEST, answer, asked, golden, pack, recorded, scripted

SEEN = "packs/seen"
DRAFT = f"{SEEN}/contracts/refund.yaml"
LIVE = ["observe", "--input", "requests", "--output", SEEN, "--provider"]
PINNED = '- path: $.order_id\n        regex: "^A-"  # settled\n'
BUNDLE = """
apiVersion: callguard/v1
kind: ContractBundle
metadata: { name: recorded }
defaults: { mode: enforce }
contracts:
  - { id: cap, type: pre, tool: pay, when: { args.amount: { gt: 500 } }, then: { effect: deny, message: too much } }
"""


def requests(directory: Path, **more: Any) -> Path:
    body = msgspec.json.encode({**REQUEST, **more}).decode()
    return write(directory, {"requests/refund.json": body})


def observed(directory: Path, *answers: dict[str, Any], provider: str = "openai", more: tuple[str, ...] = ()) -> Done:
    return scripted(directory, list(answers), *LIVE, provider, "--model", "small", *more)[0]


def judged(directory: Path, where: str = SEEN) -> Done:
    return bylaw("pack", "run", where, cwd=directory)


def promoted(directory: Path, *files: str) -> Done:
    return bylaw("pack", "promote", *files, cwd=directory)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_from_live_answers_to_a_contract_that_binds(tmp_path: Path, provider: str) -> None:
    requests(tmp_path)
    done = observed(tmp_path, answer(asked()), provider=provider)
    assert (done.code, done.err) == (0, "")
    assert "refund: a draft from 1 answer" in done.out
    draft = (tmp_path / DRAFT).read_text()
    assert draft.startswith("# bylaw: generated from 1 answer")
    assert "path: $.amount\n        exists: true\n        type: number\n" in draft
    assert "A-17" not in draft
    assert (judged(tmp_path).code, "NOTHING IS ENFORCED" in judged(tmp_path).out) == (0, True)
    assert promoted(tmp_path, DRAFT).out == f"promoted {DRAFT}: it binds from now on\n"
    assert "HELD: everything that was enforced holds." in judged(tmp_path).out
    (tmp_path / SEEN / "golden/refund.success.json").write_text(golden(recorded(asked("close_order"))))
    for recording in (tmp_path / SEEN / "recordings").iterdir():
        recording.unlink()
    assert judged(tmp_path).code == 1


def test_from_the_recordings_of_another_pack(tmp_path: Path) -> None:
    pack(tmp_path, response=recorded(asked()), **{"golden/refund.more.json": golden(recorded(asked(order_id="A-1")))})
    done = bylaw("pack", "observe", "--recordings", PACK, "--output", SEEN, cwd=tmp_path)
    assert (done.code, "refund: a draft from 2 answers" in done.out) == (0, True)
    draft = (tmp_path / DRAFT).read_text()
    assert "path: $.order_id\n        exists: true\n" in draft
    assert "path: $.amount\n        exists: true" not in draft
    assert judged(tmp_path).code == 0
    assert promoted(tmp_path, DRAFT).code == 0
    assert judged(tmp_path).code == 0


def test_from_the_guard_s_audit_log(tmp_path: Path) -> None:
    guard = Guard.from_text(BUNDLE, audit_sink=FileSink(tmp_path / "audit.jsonl"))
    for arguments in ({"to": "kim", "amount": 3}, {"to": "alex", "amount": 5, "token": "hunter2hunter2"}):
        guard.run_sync("pay", arguments, dict, session_id="s")
    guard.close()
    done = bylaw("pack", "observe", "--audit-log", "audit.jsonl", "--output", SEEN, cwd=tmp_path)
    assert (done.code, "pay: a draft from 2 answers" in done.out) == (0, True)
    draft = (tmp_path / SEEN / "contracts/pay.yaml").read_text()
    assert "path: $.amount\n        exists: true\n" in draft
    assert not [path for path in (tmp_path / SEEN).rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]
    assert judged(tmp_path).code == 0
    assert promoted(tmp_path, f"{SEEN}/contracts/pay.yaml").code == 0
    assert judged(tmp_path).code == 0


def test_text_alone_asks_for_a_review(tmp_path: Path) -> None:
    requests(tmp_path)
    done = observed(tmp_path, {"text": "Of course!"})
    assert done.code == 0
    assert "  review: the answer was text alone: should a tool have been called?" in done.out
    assert "# bylaw: review: the answer was text alone" in (tmp_path / DRAFT).read_text()


def test_an_update_keeps_what_is_pinned_and_what_was_written_by_hand(tmp_path: Path) -> None:
    requests(tmp_path)
    observed(tmp_path, answer(asked()))
    by_hand = (tmp_path / DRAFT).read_text()
    by_hand = by_hand.replace("- path: $.order_id\n        exists: true\n        type: string\n", PINNED)
    by_hand = by_hand.replace("tool: issue_refund\n", "tool: issue_refund  # ask Kim first\nside_effect: write\n")
    pins = "pinned:\n  - { tool: issue_refund, path: $.order_id }\n"
    write(tmp_path, {DRAFT: by_hand, f"{SEEN}/contracts/refund.pins.yaml": pins})
    done = observed(tmp_path, answer(asked(order_id="A-18")), more=("--update",))
    assert (done.code, "refund: a draft from 2 answers" in done.out) == (0, True)
    text = (tmp_path / DRAFT).read_text()
    assert PINNED in text
    assert "tool: issue_refund  # ask Kim first\nside_effect: write\n" in text
    assert "path: $.amount\n        exists: true" not in text
    assert "success-2" in text
    assert judged(tmp_path).code == 0


def test_a_contract_that_binds_is_never_overwritten(tmp_path: Path) -> None:
    requests(tmp_path)
    observed(tmp_path, answer(asked()))
    again, model = scripted(tmp_path, [answer(asked())], *LIVE, "openai", "--model", "small")
    assert (again.code, model.requests) == (2, ())
    assert f"contracts/refund.yaml in {SEEN} would be overwritten: give `--update`" in again.err
    promoted(tmp_path, DRAFT)
    before = (tmp_path / DRAFT).read_bytes()
    update = observed(tmp_path, answer(asked()), more=("--update",))
    assert (update.code, "not-a-draft" in update.err) == (2, True)
    assert (tmp_path / DRAFT).read_bytes() == before


def test_promoting_changes_the_mark_alone(tmp_path: Path) -> None:
    text = "# ours\r\nstatus: observed   # soon\r\ntool: a\r\n\r\ngolden_cases:\r\n- {id: x,   input_ref: x.json}"
    (tmp_path / "a.yaml").write_bytes(text.encode())
    assert promoted(tmp_path, "a.yaml").code == 0
    assert (tmp_path / "a.yaml").read_bytes() == text.replace("status: observed   # soon\r\n", "").encode()


def test_promoting_says_what_it_could_not_do_and_does_the_rest(tmp_path: Path) -> None:
    draft = "tool: a\nstatus: observed\ngolden_cases: [{ id: x, input_ref: x.json }]\n"
    write(tmp_path, {"a.yaml": draft, "b.yaml": draft.replace("status: observed\n", ""), "c.yaml": "- 1\n"})
    done = promoted(tmp_path, "a.yaml", "b.yaml", "c.yaml")
    assert (done.code, done.out) == (2, "promoted a.yaml: it binds from now on\n")
    assert "b.yaml:1:1: error[not-a-draft]" in done.err
    assert "c.yaml:1:1: error[not-a-contract]" in done.err
    assert promoted(tmp_path, "gone.yaml").code == 2


def test_what_a_provider_refused_is_passed_over_and_said(tmp_path: Path) -> None:
    requests(tmp_path)
    write(tmp_path, {"requests/other.json": "{"})
    failed = observed(tmp_path, {"status": 400, "message": "no such model"})
    assert failed.code == 3
    assert "passed over 1: refund: bad_request: 400" in failed.err
    assert "nothing was observed, and nothing is written" in failed.err
    assert not (tmp_path / SEEN).exists()
    some = observed(tmp_path, answer(asked()))
    assert some.code == 3
    assert "passed over 1: other" in some.err
    assert (tmp_path / DRAFT).exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--output", SEEN], "say what is looked at"),
        (["--output", SEEN, "--input", "requests", "--recordings", PACK], "one of them"),
        (["--output", SEEN, "--input", "requests"], "name a `--provider`"),
        (["--output", SEEN, "--input", "empty", "--provider", "openai"], "there is no JSON file below empty"),
        (["--recordings", PACK], "--output"),
    ],
    ids=["nothing", "two", "nobody", "empty", "nowhere"],
)
def test_what_can_t_be_done_is_misuse(tmp_path: Path, options: list[str], says: str) -> None:
    requests(tmp_path)
    done = bylaw("pack", "observe", *options, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
