"""Where a guard gets its policy from, which version that is, and how it gets another."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from bylaw.errors import ConfigError, InvalidFile
from bylaw.guard.audit import MemorySink
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard

from .bundles import ALWAYS, Call, X, bundle, echo, guard_of, limit, pre, watched


def sha(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def test_the_version_of_a_file_is_the_hash_of_its_bytes(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbf# caf\xc3\xa9\r\n" + bundle(pre("p", X)).encode()
    (tmp_path / "a.yaml").write_bytes(raw)
    assert Guard.from_yaml(tmp_path / "a.yaml").policy_version == sha(raw)
    assert Guard.from_yaml(str(tmp_path / "a.yaml")).policy_version == sha(raw)


def test_the_version_of_a_text_is_the_hash_of_its_utf_8_bytes() -> None:
    text = "# café\n" + bundle(pre("p", X))
    assert Guard.from_text(text).policy_version == sha(text.encode())


def test_the_version_of_several_files_is_the_hash_of_their_hashes_in_order(tmp_path: Path) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text(bundle(pre("p", X)))
    second.write_text(bundle(pre("q", X)))
    hashes = [sha(path.read_bytes()) for path in (first, second)]
    assert Guard.from_yaml(first, second).policy_version == sha("".join(hashes).encode())
    assert Guard.from_yaml(second, first).policy_version == sha("".join(reversed(hashes)).encode())
    assert Guard.from_yaml(first).policy_version == hashes[0]


def test_every_event_says_under_which_version(call: Call) -> None:
    guard, sink = watched(pre("p", X))
    call(guard, "t", {}, echo)
    with pytest.raises(Denied):
        call(guard, "t", {"x": 1}, echo)
    assert {event.policy_version for event in sink.events} == {guard.policy_version}


def test_a_document_that_somebody_else_has_read_makes_the_same_guard(call: Call) -> None:
    document = json.loads(bundle(pre("p", X), limit("l", max_tool_calls=1)))
    guard = Guard.from_documents(document)
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", {"x": 1}, echo)
    call(guard, "t", {}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)
    again = Guard.from_documents(MappingProxyType({key: document[key] for key in reversed(document)}))
    assert again.policy_version == guard.policy_version
    other = Guard.from_documents({**document, "metadata": {"name": "c"}})
    assert other.policy_version != guard.policy_version


@pytest.mark.parametrize(
    ("contract", "denied"),
    [
        (pre("p", {"args.x": {"gt": 1e16}}), 1e17),
        (pre("p", {"args.x": {"contains": "\x7f\x85\ufffe"}}), "a\x7f\x85\ufffe"),
        (pre("p", {"args.x": {"equals": "yes"}}), "yes"),
        (pre("p", {"args.x": {"matches": r"^\d+\.$"}}), "12."),
        (pre("p", {"args.x": {"in": ("a", "b")}}), "b"),
    ],
)
def test_a_document_can_say_what_a_file_would_have_to_quote(call: Call, contract: Any, denied: Any) -> None:
    document = {**json.loads(bundle(pre("q", X))), "contracts": [contract]}
    with pytest.raises(Denied):
        call(Guard.from_documents(document), "t", {"x": denied}, echo)


def endless() -> Any:
    inner: dict[str, Any] = {}
    inner["again"] = inner
    return inner


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "Bundle"}, "<bundle 1>.kind:1:1: error[not-a-choice]: `Bundle` is not `ContractBundle`"),
        ({"contracts": [{"id": "a"}]}, "<bundle 1>.contracts[0]:1:1: error[missing-key]: `type` is missing"),
        ({"metadata": {"name": "b", 5: 1}}, "<bundle 1>.metadata.5:1:1: error[key-not-text]: a key must be text"),
        (
            {"metadata": {"name": {1}}},
            "<bundle 1>.metadata.name:1:1: error[wrong-type]: this is a set, which no file",
        ),
        ({"metadata": endless()}, "error[too-deep]: nested more than 64 levels deep, or contains itself"),
        ({"metadata": [0] * 200_001}, "error[too-large]: holds more than 200000 values"),
    ],
)
def test_what_is_wrong_with_a_document_is_told_by_the_way_to_it(change: Any, said: str) -> None:
    with pytest.raises(InvalidFile) as raised:
        Guard.from_documents({**json.loads(bundle(pre("p", X))), **change})
    assert said in str(raised.value)


def test_all_mistakes_of_all_files_come_at_once_with_their_places(tmp_path: Path) -> None:
    good = bundle(pre("p", X))
    (tmp_path / "a.yaml").write_text(good.replace("deny", "block"))
    (tmp_path / "b.yaml").write_text(good.replace("equals", "equal").replace('"tool"', '"tols"'))
    (tmp_path / "c.yaml").write_text("a: [")
    with pytest.raises(ConfigError) as raised:
        Guard.from_yaml(tmp_path / "a.yaml", tmp_path / "b.yaml", tmp_path / "c.yaml", tmp_path / "d.yaml")
    assert isinstance(raised.value, InvalidFile)
    said = [(Path(found.where.file).name, found.code) for found in raised.value.diagnostics]
    assert said == [
        ("a.yaml", "not-a-choice"),
        ("b.yaml", "unknown-operator"),
        ("b.yaml", "unknown-key"),
        ("b.yaml", "missing-key"),
        ("c.yaml", "yaml-syntax"),
        ("d.yaml", "no-such-file"),
    ]
    assert str(raised.value).startswith(f"{tmp_path / 'a.yaml'}:1:")


def test_a_guard_needs_a_bundle() -> None:
    for make in (Guard.from_yaml, Guard.from_text, Guard.from_documents):
        with pytest.raises(ConfigError, match="a guard needs a bundle"):
            make()


def test_later_files_win_by_id_and_that_is_told(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    first = bundle(pre("a", X), pre("b", X), limit("c", max_tool_calls=5))
    second = bundle(pre("c", {"args.x": {"equals": 2}}), pre("b", X, mode="observe"), mode="observe")
    with caplog.at_level(logging.INFO, logger="bylaw.guard"):
        guard = Guard.from_text(first, second)
    assert len(guard.composition) == 2
    assert guard.composition[0].startswith("`c` of <bundle 1>:1:")
    assert " is replaced by the one of <bundle 2>:1:" in guard.composition[0]
    assert guard.composition[1].startswith("`b` of <bundle 1>")
    assert [record.getMessage() for record in caplog.records] == list(guard.composition)
    decision = guard.evaluate("t", {"x": 1})
    assert [(found.item.id, found.binding) for found in decision.findings] == [
        ("a", True),
        ("b", False),
        ("c", False),
    ]
    for _ in range(6):
        call(guard, "t", {"x": 2}, echo)


def test_each_file_has_its_own_default_mode(call: Call) -> None:
    guard = Guard.from_text(bundle(pre("a", X), mode="observe"), bundle(pre("b", {"args.x": {"in": [1, 2]}})))
    with pytest.raises(Denied, match="b says no"):
        call(guard, "t", {"x": 1}, echo)
    assert [found.item.id for found in guard.evaluate("t", {"x": 1}).would_deny] == ["a"]
    assert guard_of(pre("a", X)).composition == ()


def test_reload_reads_the_same_files_again(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(bundle(pre("p", X)))
    guard = Guard.from_yaml(file)
    before = guard.policy_version
    call(guard, "t", {"x": 2}, echo)
    file.write_text(bundle(pre("p", {"args.x": {"equals": 2}})))
    call(guard, "t", {"x": 2}, echo)
    guard.reload()
    assert guard.policy_version == sha(file.read_bytes()) != before
    call(guard, "t", {"x": 1}, echo)
    with pytest.raises(Denied):
        call(guard, "t", {"x": 2}, echo)


def test_reload_can_go_to_other_files_and_keeps_the_override(tmp_path: Path, call: Call) -> None:
    (tmp_path / "a.yaml").write_text(bundle(pre("p", X)))
    (tmp_path / "b.yaml").write_text(bundle(pre("q", ALWAYS)))
    guard = Guard.from_yaml(tmp_path / "a.yaml", mode="observe")
    guard.reload(tmp_path / "a.yaml", str(tmp_path / "b.yaml"))
    call(guard, "t", {"x": 1}, echo)
    assert [found.item.id for found in guard.evaluate("t", {"x": 1}).would_deny] == ["p", "q"]
    guard.reload()
    assert [found.item.id for found in guard.evaluate("t", {"x": 1}).would_deny] == ["p", "q"]


def test_a_reload_that_fails_changes_nothing(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(bundle(pre("p", X), limit("l", max_tool_calls=1)))
    guard = Guard.from_yaml(file)
    call(guard, "t", {}, echo)
    before, said = guard.policy_version, guard.composition
    file.write_text(bundle(pre("p", X)).replace("deny", "block"))
    with pytest.raises(InvalidFile):
        guard.reload()
    with pytest.raises(InvalidFile):
        guard.reload(tmp_path / "not there.yaml")
    assert (guard.policy_version, guard.composition) == (before, said)
    with pytest.raises(Denied, match="p says no"):
        call(guard, "t", {"x": 1}, echo)
    with pytest.raises(Denied, match="l is reached"):
        call(guard, "t", {}, echo)


def test_a_guard_of_text_reloads_its_text() -> None:
    guard = guard_of(pre("p", X))
    before = guard.policy_version
    guard.reload()
    assert guard.policy_version == before


def test_a_call_in_flight_ends_under_the_policy_it_began_with(tmp_path: Path) -> None:
    def text(word: str) -> str:
        contract = pre("w", {"output.text": {"contains": "answer"}}, then={"effect": "warn", "message": word})
        return bundle({**contract, "type": "post"})

    async def main() -> None:
        file, sink = tmp_path / "a.yaml", MemorySink()
        file.write_text(text("old"))
        guard = Guard.from_yaml(file, audit_sink=sink)
        old = guard.policy_version
        running, go_on = asyncio.Event(), asyncio.Event()

        async def tool() -> str:
            running.set()
            await go_on.wait()
            return "answer"

        first = asyncio.create_task(guard.call("t", {}, tool))
        await running.wait()
        file.write_text(text("new"))
        guard.reload()
        assert guard.policy_version != old
        second = await guard.call("t", {}, lambda: "answer")
        go_on.set()
        assert [found.reason for found in second.warnings] == ["new"]
        assert [found.reason for found in (await first).warnings] == ["old"]
        assert {event.policy_version for event in sink.events if event.call_index == 0} == {old}

    asyncio.run(main())


def test_limits_stand_where_they_are_over_a_reload(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(bundle(limit("l", max_tool_calls=3)))
    guard = Guard.from_yaml(file)
    call(guard, "t", {}, echo)
    call(guard, "t", {}, echo)
    file.write_text(bundle(limit("l", max_tool_calls=2)))
    guard.reload()
    with pytest.raises(Denied):
        call(guard, "t", {}, echo)


def test_calls_beside_reloads_are_always_judged_by_one_whole_policy(tmp_path: Path) -> None:
    """In each policy both contracts say the same word; no call ever sees one of each."""
    files = []
    for word in ("one", "two"):
        file = tmp_path / f"{word}.yaml"
        file.write_text(bundle(*[pre(f"{word}-{number}", ALWAYS, then={"message": word}) for number in range(2)]))
        files.append(file)
    guard, over, seen = Guard.from_yaml(files[0]), threading.Event(), set()

    def reloading() -> None:
        for number in range(60):
            guard.reload(files[number % 2])
        over.set()

    thread = threading.Thread(target=reloading)
    thread.start()
    while not over.is_set():
        decision = guard.evaluate("t", {})
        seen.add(tuple(found.reason for found in decision.findings))
    thread.join()
    assert seen <= {("one", "one"), ("two", "two")}
