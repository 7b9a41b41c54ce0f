"""A refresh brings a draft up to date: what is pinned and what stays true is left as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from bylaw.errors import InvalidFile
from bylaw.observe import drafts, infer, update, write_pack
from bylaw.observe.pins import NO_PINS, Pins, read_pins
from bylaw.observe.writing import CaseFile, contract_text

from .seeing import call, data_of, judged, promote_all, seen

CASE = CaseFile(id="success", ref="t.success.json")
BEFORE = contract_text(infer([seen(call("t", {"a": "x", "b": 1, "c": True}))]), [CASE])
AFTER = infer([seen(call("t", {"a": "x", "b": 1, "c": True})), seen(call("t", {"a": "y", "b": 1.5}))])


def pins(tmp_path: Path, text: str) -> Pins:
    (tmp_path / "t.pins.yaml").write_text(text)
    return read_pins(tmp_path / "t.yaml")


def test_a_refresh_says_what_holds_now() -> None:
    text = update(BEFORE, AFTER)
    assert data_of(text)["expected_tool_calls"][0]["argument_invariants"] == [
        {"path": "$.a", "exists": True, "type": "string"},
        {"path": "$.b", "exists": True, "type": "number"},
    ]
    assert text.startswith("# bylaw: generated from 2 answers")
    assert "`$.c` was not always there" in text


def test_a_refresh_with_nothing_new_changes_nothing() -> None:
    same = infer([seen(call("t", {"a": "x", "b": 1, "c": True}))])
    assert update(BEFORE, same) == BEFORE
    annotated = BEFORE.replace("exists: true", "exists:   true  # sure", 1).replace("tool: t", "tool: 't'")
    assert update(annotated, same) == annotated


def test_comments_stay_with_the_lines_that_stay() -> None:
    text = BEFORE.replace("      - path: $.a\n", "      # about a\n      - path: $.a  # the name\n")
    text = text.replace("      - path: $.c\n", "      # about c\n      - path: $.c\n")
    text = text.replace("golden_cases:", "# the cases\nside_effect: write   # mine\ngolden_cases:")
    new = update(text, AFTER, cases=[CaseFile(id="success-2", ref="t.success-2.json")])
    assert "      # about a\n      - path: $.a  # the name\n        exists: true\n" in new
    assert "# the cases\nside_effect: write   # mine\ngolden_cases:" in new
    assert "about c" not in new
    assert [case["id"] for case in data_of(new)["golden_cases"]] == ["success", "success-2"]


def test_a_single_call_that_becomes_several_gets_its_keys_before_the_cases() -> None:
    several = infer([seen(call("t", {"a": "x"}), call("u"))])
    new = update(BEFORE, several)
    assert list(data_of(new)) == [
        "tool", "status", "expected_tool_calls", "expect_tools", "tool_order", "assertions", "golden_cases",
    ]  # fmt: skip
    back = update(new, infer([seen(call("t", {"a": "x", "b": 1, "c": True}))]))
    assert data_of(back) == data_of(BEFORE)


def test_invariants_of_the_request_are_nobody_elses() -> None:
    kept = "assertions:\n  input_invariants:\n    - {path: $.model, exists: true}\ngolden_cases:"
    new = update(BEFORE.replace("golden_cases:", kept), infer([seen(call("t"), call("u"))]))
    assert list(data_of(new)["assertions"]) == ["input_invariants", "output_invariants"]


def test_a_pinned_argument_stays_as_it_is(tmp_path: Path) -> None:
    edited = BEFORE.replace("type: integer", "type: integer\n        gte: 1  # at least one")
    pinned = pins(tmp_path, "pinned:\n  - {tool: t, path: $.b}\n  - {tool: t, path: $.c}\n")
    new = update(edited, AFTER, pins=pinned)
    assert data_of(new)["expected_tool_calls"] == data_of(edited)["expected_tool_calls"]
    assert "gte: 1  # at least one" in new


def test_what_was_taken_out_and_pinned_stays_out(tmp_path: Path) -> None:
    edited = BEFORE.replace("      - path: $.a\n        exists: true\n        type: string\n", "")
    new = update(edited, AFTER, pins=pins(tmp_path, "pinned: [{tool: t, path: $.a}]"))
    assert "$.a" not in new.partition("tool: t")[2]
    assert "$.b" in new


def test_a_pinned_key_stays_as_it_is(tmp_path: Path) -> None:
    edited = BEFORE.replace("status: observed", "status: observed\ntool_order: strict")
    several = infer([seen(call("t"), call("u"))])
    new = data_of(update(edited, several, pins=pins(tmp_path, "pinned:\n  - field: tool_order\n  - field: tool\n")))
    assert (new["tool_order"], new["tool"]) == ("strict", "t")
    absent = data_of(update(BEFORE, several, pins=pins(tmp_path, "pinned: [{field: assertions}]")))
    assert "assertions" not in absent


def test_a_pinned_path_of_the_response_stays_as_it_is(tmp_path: Path) -> None:
    mine = "assertions:\n  output_invariants:\n    - {path: $.content, exists: true}\ngolden_cases:"
    edited = BEFORE.replace("golden_cases:", mine)
    new = update(edited, infer([seen(call("t"), call("u"))]), pins=pins(tmp_path, "pinned: [{path: $.content}]"))
    paths = [one["path"] for one in data_of(new)["assertions"]["output_invariants"]]
    assert paths == ["$.tool_calls", "$.content"]
    assert data_of(update(edited, AFTER)).get("assertions") is None


def test_a_pinned_argument_of_a_call_that_is_not_expected_any_more_stays(tmp_path: Path) -> None:
    new = update(BEFORE, infer([seen(text="no")]), pins=pins(tmp_path, "pinned: [{tool: t, path: $.b}]"))
    assert data_of(new)["expected_tool_calls"] == [
        {"name": "t", "argument_invariants": [{"path": "$.b", "exists": True, "type": "integer"}]}
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pinned: [{field: status}]", "not-a-choice"),
        ("pinned: [{field: tool, path: $.a}]", "contradiction"),
        ("pinned: [{}]", "contradiction"),
        ("pinned: [{tool: t}]", "contradiction"),
        ("pins: []", "unknown-key"),
        ("pinned: $.a", "wrong-type"),
        ("", "empty-file"),
    ],
)
def test_a_file_of_pins_is_read_strictly(tmp_path: Path, text: str, code: str) -> None:
    with pytest.raises(InvalidFile) as raised:
        pins(tmp_path, text)
    assert raised.value.diagnostics[0].code == code


def test_no_file_of_pins_pins_nothing(tmp_path: Path) -> None:
    assert read_pins(tmp_path / "t.yaml") is NO_PINS


@pytest.mark.parametrize("text", [BEFORE.replace("status: observed\n", ""), BEFORE + "extra: 1\n", "tool: [\n"])
def test_what_is_no_draft_is_not_refreshed(text: str) -> None:
    with pytest.raises(InvalidFile):
        update(text, AFTER)


def test_a_pack_is_refreshed_with_its_pins(tmp_path: Path) -> None:
    root = tmp_path / "pack"
    write_pack(root, drafts([seen(call("t", {"a": "x", "b": 1}), name="t")]))
    (root / "contracts" / "t.pins.yaml").write_text("pinned: [{tool: t, path: $.b}]\n")
    files = write_pack(root, drafts([seen(call("t", {"a": 1, "b": 2}), name="t")]), refresh=True)
    assert set(files.changed) == {"contracts/t.yaml"}
    assert set(files.created) == {"golden/t.success-2.json"}
    (said,) = data_of((root / "contracts" / "t.yaml").read_text())["expected_tool_calls"]
    assert said["argument_invariants"] == [
        {"path": "$.a", "exists": True},
        {"path": "$.b", "exists": True, "type": "integer"},
    ]
    (root / "contracts" / "t.pins.yaml").unlink()
    promote_all(root)
    assert judged(root).state == "held"
