"""Drafts from the guard's own log of calls that were made."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bylaw.errors import Misuse
from bylaw.guard.audit import FileSink, log_files
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.observe import drafts, from_audit_log, from_pack, write_pack
from bylaw.observe.audit_log import MOST_IN_A_SESSION, MOST_OF_A_TOOL
from bylaw.wire import Tool

from .seeing import data_of, judged, promote_all

Call = tuple[str, dict[str, Any], str]
"""A tool, its arguments and the session."""

BUNDLE = """
apiVersion: callguard/v1
kind: ContractBundle
metadata: {name: recorded}
defaults: {mode: enforce}
contracts:
  - id: never
    type: pre
    tool: forbidden
    when: {tool.name: {equals: forbidden}}
    then: {effect: deny, message: not here}
"""


def broken(**_: Any) -> None:
    raise OSError("down")


def log_of(tmp_path: Path, calls: Iterable[Call]) -> Path:
    """The log of a guard under which these calls were made."""
    path = tmp_path / "audit.jsonl"
    guard = Guard.from_text(BUNDLE, audit_sink=FileSink(path))
    try:
        for tool, arguments, session in calls:
            run = broken if tool == "broken" else dict
            with suppress(Denied, OSError):  # the log says how each call ended
                guard.run_sync(tool, arguments, run, session_id=session)
    finally:
        guard.close()
    return path


def asked(draft: Any) -> dict[str, dict[str, Any]]:
    (call,) = draft.calls
    return {one["path"]: {key: value for key, value in one.items() if key != "path"} for one in call.invariants}


def test_calls_of_a_tool_are_merged(tmp_path: Path) -> None:
    calls = [
        ("refund", {"order": "a", "amount": 1}, "s1"),
        ("refund", {"order": "b", "amount": 2.5, "why": "x"}, "s2"),
    ]
    found = from_audit_log([log_of(tmp_path, calls)])
    (draft,) = drafts(found.observations)
    assert found.used == 2
    assert (draft.name, draft.tool, draft.seen) == ("refund", "refund", 2)
    assert asked(draft) == {
        "$.order": {"exists": True, "type": "string"},
        "$.amount": {"exists": True, "type": "number"},
    }


def test_what_was_not_carried_out_is_counted_and_not_used(tmp_path: Path) -> None:
    log = log_of(tmp_path, [("a", {}, "s"), ("forbidden", {}, "s"), ("broken", {}, "s")])
    with log.open("ab") as stream:
        stream.write(b"junk\n\n{}\n")
    found = from_audit_log([log])
    assert [one.name for one in found.observations] == ["a"]
    assert found.used == 1
    assert found.skipped["the call was denied"] == 1
    assert found.skipped["the tool failed"] == 1
    assert found.skipped["a line that is no audit event"] == 3
    assert found.passed_over == sum(found.skipped.values())


def test_a_redacted_argument_is_there_and_no_more(tmp_path: Path) -> None:
    calls = [("login", {"user": "kim", "password": 5, "deep": {"token": "t", "n": 1}, "many": list(range(300))}, "s")]
    (draft,) = drafts(from_audit_log([log_of(tmp_path, calls)]).observations)
    assert asked(draft) == {
        "$.user": {"exists": True, "type": "string"},
        "$.password": {"exists": True},
        "$.deep": {"exists": True, "type": "object"},
        "$.deep.token": {"exists": True},
        "$.deep.n": {"exists": True, "type": "integer"},
        "$.many": {"exists": True, "type": "array", "length_gte": 1},
        "$.many[0]": {"exists": True, "type": "integer"},
    }


KEY = "sk-" + "proj-" + "abcdefghij0123456789" * 2


@pytest.mark.parametrize("note", [KEY, "x" * 5_000, f"a {KEY} b"], ids=["secret", "long", "within"])
def test_a_field_that_was_changed_once_has_no_type(tmp_path: Path, note: str) -> None:
    log = log_of(tmp_path, [("t", {"note": "plain"}, "s"), ("t", {"note": note}, "s")])
    (draft,) = drafts(from_audit_log([log]).observations)
    assert asked(draft) == {"$.note": {"exists": True}}
    assert draft.review == ("`t`: `$.note` was hidden, so its type is not known",)


def test_names_that_were_cut_are_no_arguments(tmp_path: Path) -> None:
    log = log_of(tmp_path, [("t", {f"a{number}": number for number in range(300)}, "s")])
    (draft,) = drafts(from_audit_log([log]).observations)
    assert set(asked(draft)) == {f"$.a{number}" for number in range(100)}


def test_a_session_is_one_observation_of_all_its_calls(tmp_path: Path) -> None:
    calls: list[Call] = [
        ("look", {"q": "a"}, "one"),
        ("buy", {"id": 1}, "one"),
        ("look", {"q": "b"}, "two"),
        ("buy", {"id": 2}, "two"),
    ]
    log = log_of(tmp_path, [*calls, ("look", {"q": "c"}, "three")])
    found = from_audit_log([log], by="session")
    assert found.used == 5
    assert [(draft.name, draft.seen) for draft in drafts(found.observations)] == [("buy-look", 2), ("look", 1)]
    (several, _) = drafts(found.observations)
    assert [call.name for call in several.calls] == ["look", "buy"]


def test_a_session_of_very_many_calls_is_no_contract(tmp_path: Path) -> None:
    log = log_of(tmp_path, [("t", {}, "s")] * (MOST_IN_A_SESSION + 5))
    found = from_audit_log([log], by="session")
    assert found.observations == ()
    assert found.used == 0
    assert found.skipped[f"a call in a session of more than {MOST_IN_A_SESSION}"] == MOST_IN_A_SESSION + 5


def test_enough_is_enough(tmp_path: Path) -> None:
    found = from_audit_log([log_of(tmp_path, [("t", {"a": 1}, "s")] * (MOST_OF_A_TOOL + 3))])
    assert found.used == len(found.observations) == MOST_OF_A_TOOL
    assert found.skipped["a call of a tool of which 1,000 were seen"] == 3
    (draft,) = drafts(found.observations)
    assert len(draft.cases) == 1


def test_schemas_come_from_whoever_asks(tmp_path: Path) -> None:
    tool = Tool(name="t", parameters={"properties": {"env": {"enum": ["a", "b"]}}})
    log = log_of(tmp_path, [("t", {"env": "a"}, "s")])
    (draft,) = drafts(from_audit_log([log], tools=[tool]).observations)
    assert asked(draft) == {"$.env": {"one_of": ["a", "b"]}}


def test_a_pack_from_a_log_passes_on_what_the_log_says(tmp_path: Path) -> None:
    calls: list[Call] = [("t", {"a": 1, "password": 7}, "s"), ("t", {"a": "x"}, "s"), ("u", {}, "s")]
    log = log_of(tmp_path, calls)
    root = tmp_path / "pack"
    write_pack(root, drafts(from_audit_log(log_files(log)).observations))
    assert "request" not in data_of((root / "golden/t.success.json").read_text())
    write_pack(root, drafts(from_audit_log([log], by="session").observations))
    promote_all(root)
    assert judged(root).state == "held"


def test_what_was_redacted_is_still_unknown_when_the_pack_is_read_again(tmp_path: Path) -> None:
    log = log_of(tmp_path, [("t", {"a": 1, "password": 7}, "s")])
    root = tmp_path / "pack"
    write_pack(root, drafts(from_audit_log([log]).observations))
    assert asked(drafts(from_pack(root).observations)[0])["$.password"] == {"exists": True}


def test_a_log_that_is_not_there_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="can't read"):
        from_audit_log([tmp_path / "none.jsonl"])
