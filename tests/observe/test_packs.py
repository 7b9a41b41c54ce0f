"""A pack appears whole, and nothing of anybody else's is written over."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bylaw.errors import InvalidFile, Misuse
from bylaw.formats.packs.boundary import boundary_of
from bylaw.observe import drafts, from_pack, observed, plan_pack, promote, write_pack
from bylaw.observe.files import file_names

from .seeing import call, data_of, judged, seen, tool

ONE = drafts([seen(call("t", {"a": 1}), tools=[tool("t", a={"type": "integer"})], name="t")])


def files_in(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_pack_has_everything_it_needs(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "pack"
    files = write_pack(root, ONE, name="mine")
    assert files_in(root) == dict(files.created)
    assert set(files.created) == {"pack.yaml", "contracts/t.yaml", "golden/t.success.json"}
    assert data_of((root / "pack.yaml").read_text())["name"] == "mine"
    assert judged(root).state == "held"
    assert list(root.parent.iterdir()) == [root]


def test_a_golden_case_has_the_request_with_its_hashes(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", ONE)
    case = msgspec.json.decode((tmp_path / "p/golden/t.success.json").read_bytes())
    assert list(case) == ["boundary", "request", "response"]
    assert case["boundary"] == boundary_of(case["request"])
    assert case["response"]["tool_calls"] == [{"name": "t", "arguments": {"a": 1}, "id": ""}]


def test_planning_writes_nothing(tmp_path: Path) -> None:
    assert plan_pack(tmp_path / "p", ONE).created
    assert list(tmp_path.iterdir()) == []


def test_the_same_observations_come_to_the_same_bytes(tmp_path: Path) -> None:
    assert plan_pack(tmp_path / "p", ONE) == plan_pack(tmp_path / "p", ONE)


def test_a_contract_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", ONE)
    before = files_in(tmp_path / "p")
    with pytest.raises(Misuse, match=r"contracts/t\.yaml .* would be overwritten"):
        write_pack(tmp_path / "p", [*drafts([seen(call("u"), name="u")]), *ONE])
    assert files_in(tmp_path / "p") == before


def test_a_promoted_contract_is_not_refreshed(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", ONE)
    contract = tmp_path / "p/contracts/t.yaml"
    contract.write_text(promote(contract.read_text()))
    before = files_in(tmp_path / "p")
    with pytest.raises(InvalidFile, match="promoted already"):
        write_pack(tmp_path / "p", [*drafts([seen(call("u"), name="u")]), *ONE], refresh=True)
    assert files_in(tmp_path / "p") == before


def test_another_contract_joins_a_pack(tmp_path: Path) -> None:
    root = tmp_path / "p"
    write_pack(root, ONE, name="first")
    files = write_pack(root, drafts([seen(call("u"), name="u")]), name="second")
    assert set(files.created) == {"contracts/u.yaml", "golden/u.success.json"}
    assert data_of((root / "pack.yaml").read_text())["name"] == "first"
    assert not [name for name in files_in(root) if name.startswith(".") or "/." in name]


def test_a_golden_file_of_somebody_elses_keeps_its_place(tmp_path: Path) -> None:
    taken = tmp_path / "p/golden/t.success.json"
    taken.parent.mkdir(parents=True)
    taken.write_text("{}")
    write_pack(tmp_path / "p", ONE)
    assert taken.read_text() == "{}"
    (case,) = data_of((tmp_path / "p/contracts/t.yaml").read_text())["golden_cases"]
    assert case == {"id": "success-2", "input_ref": "t.success-2.json", "expect_ok": True}


def test_the_same_answer_again_is_no_new_case(tmp_path: Path) -> None:
    root = tmp_path / "p"
    write_pack(root, ONE)
    before = files_in(root)
    files = write_pack(root, ONE, refresh=True)
    assert (files.created, files.changed) == ({}, {})
    assert files_in(root) == before


def test_a_case_that_can_not_be_read_is_told_and_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "p"
    write_pack(root, ONE)
    (root / "golden/t.success.json").write_text("{")
    (draft,) = write_pack(root, ONE, refresh=True).drafts
    assert draft.review == ("case `success` was passed over: the answer can't be read",)


def test_a_file_keeps_its_byte_order_mark_and_permissions(tmp_path: Path) -> None:
    root = tmp_path / "p"
    write_pack(root, ONE)
    contract = root / "contracts/t.yaml"
    contract.write_bytes(b"\xef\xbb\xbf" + contract.read_bytes())
    contract.chmod(0o640)
    write_pack(root, drafts([seen(call("t", {"a": "x"}), name="t")]), refresh=True)
    assert contract.read_bytes().startswith(b"\xef\xbb\xbf# bylaw: generated from 2")
    assert contract.stat().st_mode & 0o777 == 0o640


def test_a_place_that_can_not_be_written_to_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Misuse, match="can't write"):
        write_pack(tmp_path / "file" / "pack", ONE)


def test_nothing_observed_is_an_empty_pack_and_no_file(tmp_path: Path) -> None:
    assert plan_pack(tmp_path / "p", ()).created == {}


def test_names_of_files_are_plain_and_none_comes_twice() -> None:
    names = ["a/b", "a b", "A_B", "..", "", "ü", "x" * 500, "con.tract", "-a"]
    found = list(file_names(names).values())
    assert len({name.lower() for name in found}) == len(names)
    assert all(name.isascii() and "/" not in name and not name.startswith(".") and len(name) < 100 for name in found)


def test_secrets_are_not_written(tmp_path: Path) -> None:
    secret = "sk-" + "proj-" + "abcdefghij0123456789" * 2
    answer = {"content": f"use {secret}", "tool_calls": [call("t", {"password": "hunter2", "note": f"key {secret}"})]}
    request = {
        "messages": [{"role": "user", "content": f"my key is {secret}"}],
        "tools": [tool("t", password={"type": "string"})],
    }
    write_pack(tmp_path / "p", drafts([observed(name="t", request=request, answer=answer)]))
    written = b"".join(files_in(tmp_path / "p").values())
    assert secret.encode() not in written
    assert b"hunter2" not in written
    assert b'"password": {' in written
    assert judged(tmp_path / "p").state == "held"


def test_a_pack_is_observed_again(tmp_path: Path) -> None:
    write_pack(tmp_path / "p", ONE)
    found = from_pack(tmp_path / "p")
    assert (found.used, found.skipped) == (1, {})
    assert drafts(found.observations)[0].calls == ONE[0].calls
    write_pack(tmp_path / "q", drafts(found.observations))
    assert files_in(tmp_path / "q")["golden/t.success.json"] == files_in(tmp_path / "p")["golden/t.success.json"]


def test_cases_without_a_usable_answer_are_counted(tmp_path: Path) -> None:
    texts = {
        "golden/a.success.json": '{"request": {}}',
        "golden/b.success.json": "{",
        "golden/c.success.json": '{"request": {"messages": 5}, "response": {"content": "x"}}',
        "golden/d.success.json": '{"response": {"what": 1}}',
        "golden/negative/e.not_invoked.json": '{"response": {"content": "x"}}',
        "recordings/f.success.recording.json": '{"content": "x"}',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = from_pack(tmp_path)
    assert [one.name for one in found.observations] == ["f"]
    assert found.skipped == {
        "there is no recorded answer": 1,
        "the answer can't be read": 2,
        "the request can't be read": 1,
    }
    assert from_pack(tmp_path / "nowhere").used == 0
