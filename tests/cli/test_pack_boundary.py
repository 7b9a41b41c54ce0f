"""Recordings of requests that have changed since, and cases that are accepted for a while."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from .command import Done
from .packs import REQUEST, answer, ask, asked, findings, golden, pack, recorded, run, words

GOLDEN = "golden/refund.success.json"


def captured(directory: Path) -> dict[str, Any]:
    """A pack with a recording, and its golden file as it was written then."""
    root = pack(directory)
    assert ask(directory, [answer(asked())], "--capture-recordings").code == 0
    found: dict[str, Any] = msgspec.json.decode((root / GOLDEN).read_bytes())
    return found


def edited(directory: Path, **request: Any) -> Done:
    case = captured(directory)
    case["request"] = {**case["request"], **request}
    (directory / "packs/orders" / GOLDEN).write_bytes(msgspec.json.encode(case))
    return run(directory, "--json")


TOOL = REQUEST["tools"][0]
SYSTEM, USER = REQUEST["messages"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tools": [{**TOOL, "description": "Another one."}]}, "the tools' schemas differs"),
        ({"messages": [SYSTEM, {**USER, "content": "hurry"}]}, "the messages differs"),
        ({"messages": [{**SYSTEM, "content": "Be brief."}, USER]}, "the system prompt differs"),
        ({"model": "large"}, "the model differs"),
        ({"tools": [], "model": "large"}, "the model and the tools' schemas differ"),
    ],
    ids=["tools", "messages", "system", "model", "two"],
)
def test_a_request_that_changed_is_not_reproducible(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    done = edited(tmp_path, **change)
    assert (done.code, words(done)) == (3, {"asks": "NonReproducible"})
    _, code, reason = findings(done)["asks/tool_calls"]
    assert (code, reason.endswith(said)) == ("context_variance", True), reason


def test_what_does_not_change_the_meaning_is_no_change(tmp_path: Path) -> None:
    assert edited(tmp_path, tools=[dict(reversed(TOOL.items()))], temperature=0.5).code == 0


def test_a_stale_recording_may_be_judged_and_is_marked(tmp_path: Path) -> None:
    edited(tmp_path, model="large")
    done = run(tmp_path, "--stale", "evaluate", "--json")
    assert (done.code, words(done)) == (0, {"asks": "Pass"})
    (case,) = done.json["groups"][0]["groups"]
    assert case["notes"] == ["judged on a recording of another request: the model changed since"]


def test_asking_again_brings_the_recording_up_to_date(tmp_path: Path) -> None:
    assert edited(tmp_path, model="large").code == 3
    assert ask(tmp_path, [answer(asked())], "--capture-recordings").code == 0
    assert run(tmp_path).code == 0


@pytest.mark.parametrize(
    ("more", "note"),
    [
        (
            {"boundary": {"messages_hash": "9f2c"}},
            "its boundary can't be compared: nothing else says `messages_hash`",
        ),
        (
            {"boundary": {"messages_hsh": "9f2c"}},
            "`messages_hsh` in `boundary` is compared with nothing: did you mean `messages_hash`?",
        ),
        ({"boundry": {}}, "`boundry` is not a key of a case: did you mean `boundary`?"),
    ],
    ids=["opaque", "misspelt-hash", "misspelt-boundary"],
)
def test_what_a_boundary_can_t_vouch_for_is_noted(tmp_path: Path, more: dict[str, Any], note: str) -> None:
    pack(tmp_path, **{GOLDEN: golden(recorded(asked()), **more)})
    done = run(tmp_path, "--json")
    (case,) = done.json["groups"][0]["groups"]
    assert (done.code, case["notes"]) == (0, [note])


def test_a_recording_without_its_request_may_be_judged_and_is_marked(tmp_path: Path) -> None:
    case = captured(tmp_path)
    del case["request"]
    (tmp_path / "packs/orders" / GOLDEN).write_bytes(msgspec.json.encode(case))
    assert run(tmp_path).code == 3
    done = run(tmp_path, "--stale", "evaluate", "--json")
    (judged,) = done.json["groups"][0]["groups"]
    said = "judged all the same: there is no request to compare with what was recorded"
    assert (done.code, judged["notes"]) == (0, [said])


def listed(**change: str) -> str:
    entry = {
        "contract_path": "contracts/refund.yaml",
        "reason_code": "recording_not_found",
        "owner": "kim",
        "expiry_date": "2999-12-31",
        "rationale": "the provider is gone",
    }
    return msgspec.json.encode([{**entry, **change}]).decode()


def test_an_accepted_case_is_shown_and_does_not_count(tmp_path: Path) -> None:
    pack(tmp_path, **{"nr-allowlist.json": listed()})
    done = run(tmp_path, "--json")
    assert (done.code, words(done)) == (0, {"asks": "NonReproducible, accepted"})
    (case,) = done.json["groups"][0]["groups"]
    said = "`recording_not_found` is accepted until 2999-12-31 by kim: the provider is gone"
    assert case["notes"] == [said]


@pytest.mark.parametrize(
    "change",
    [{"expiry_date": "2020-01-01"}, {"reason_code": "context_variance"}],
    ids=["expired", "another-reason"],
)
def test_an_entry_that_does_not_hold_accepts_nothing(tmp_path: Path, change: dict[str, str]) -> None:
    pack(tmp_path, **{"nr-allowlist.json": listed(**change)})
    assert run(tmp_path).code == 3


def test_an_entry_for_another_contract_accepts_nothing_and_is_told(tmp_path: Path) -> None:
    pack(tmp_path, **{"nr-allowlist.json": listed(contract_path="contracts/refnd.yaml")})
    done = run(tmp_path)
    assert done.code == 3
    assert "there is no contract at `contracts/refnd.yaml`" in done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (listed(expiry_date="soon"), "`soon` is not a date"),
        (listed(reason_code="bad_luck"), "not-a-choice"),
        (listed(until="2999-12-31"), "unknown-key"),
        ("{}", "nr-allowlist.json:1:1"),
        ("[", "nr-allowlist.json"),
    ],
    ids=["date", "reason", "key", "mapping", "cut"],
)
def test_a_list_with_a_mistake_stops_the_run(tmp_path: Path, text: str, says: str) -> None:
    pack(tmp_path, response=recorded(asked()), **{"nr-allowlist.json": text})
    done = run(tmp_path)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_failure_is_never_accepted(tmp_path: Path) -> None:
    pack(tmp_path, **{"nr-allowlist.json": listed(), GOLDEN: golden(recorded(text="no"))})
    assert run(tmp_path).code == 1
