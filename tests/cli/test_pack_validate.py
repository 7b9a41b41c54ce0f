"""`bylaw pack validate`: every file of a pack is looked at, and nothing is judged."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from .command import Done, bylaw, write
from .packs import CONTRACT, PACK, REQUEST, asked, golden, pack, recorded

GOLDEN = "golden/refund.success.json"
RECORDING = "recordings/refund.success.recording.json"
RIGHT = recorded(asked())


def validate(directory: Path, *options: str) -> Done:
    return bylaw("pack", "validate", PACK, *options, cwd=directory)


def said(directory: Path) -> list[tuple[str, str, str]]:
    """Level, code and place of everything that is said, from the pack on."""
    found = validate(directory, "--json").json["diagnostics"]
    return [
        (one["level"], one["code"], "{file}:{line}:{column}".format(**one["where"]).removeprefix(f"{PACK}/"))
        for one in found
    ]


def case(**more: object) -> str:
    body = msgspec.json.encode({"request": REQUEST, "response": RIGHT, **more})
    return msgspec.json.format(body, indent=1).decode()


def test_the_json_has_the_shape_of_every_validation(tmp_path: Path) -> None:
    pack(tmp_path, response=RIGHT)
    done = validate(tmp_path, "--json")
    files = [f"{PACK}/contracts/refund.yaml"]
    assert (done.code, done.json) == (0, {"schema": 1, "valid": True, "files": files, "diagnostics": []})


@pytest.mark.parametrize(
    ("text", "level", "code", "place"),
    [
        ("{\n ,", "error", "unreadable", f"{GOLDEN}:2:2"),
        ("[]", "error", "unreadable", f"{GOLDEN}:1:1"),
        (case(reqest={}), "warning", "unknown-key", f"{GOLDEN}:"),
        (case(request=None), "error", "wrong-value", f"{GOLDEN}:2:"),
        (case(boundary=[]), "error", "wrong-value", f"{GOLDEN}:"),
        (case(boundary={"messages_hsh": "a"}), "warning", "unknown-key", f"{GOLDEN}:"),
        (case(boundary={"messages_hash": ""}), "error", "wrong-value", f"{GOLDEN}:"),
        (case(boundary={"messages_hash": "sha256:12"}), "error", "wrong-value", f"{GOLDEN}:"),
        (case(response={"choices": 5}), "error", "unreadable", f"{GOLDEN}:1:1"),
        (golden(), "warning", "no-recorded-answer", "contracts/refund.yaml:8:17"),
    ],
    ids=["cut", "list", "key", "request", "boundary", "hash-key", "empty", "short", "answer", "no-answer"],
)
def test_a_case_s_file_with_a_mistake(tmp_path: Path, text: str, level: str, code: str, place: str) -> None:
    pack(tmp_path, **{GOLDEN: text})
    ((one_level, one_code, one_place),) = said(tmp_path)
    assert (one_level, one_code) == (level, code)
    assert one_place.startswith(place)
    assert validate(tmp_path).code == (2 if level == "error" else 0)


def test_a_key_is_shown_in_its_line(tmp_path: Path) -> None:
    pack(tmp_path, **{GOLDEN: '{\n  "request": {},\n  "respons": {}\n}'})
    assert ("warning", "unknown-key", f"{GOLDEN}:3:3") in said(tmp_path)
    assert "did you mean `response`?" in validate(tmp_path).err


@pytest.mark.parametrize("text", ["{", "[]", "5"])
def test_a_recording_that_is_none(tmp_path: Path, text: str) -> None:
    pack(tmp_path, **{RECORDING: text})
    ((level, code, place),) = said(tmp_path)
    assert (level, code, place.startswith(f"{RECORDING}:1:")) == ("error", "unreadable", True)


def test_a_case_that_is_not_there(tmp_path: Path) -> None:
    root = pack(tmp_path, **{"golden/refund.sucess.json": golden(RIGHT)})
    (root / GOLDEN).unlink()
    assert said(tmp_path) == [("error", "no-such-file", "contracts/refund.yaml:8:17")]
    assert "did you mean `refund.sucess.json`?" in validate(tmp_path).err


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("fingerprints.json", "{", "fingerprints.json:1:1"),
        ("fingerprints.json", '{"acepted": {}}', "fingerprints.json:1:1"),
        ("contracts/refund.pins.yaml", "pinned: [{ feld: tool }]\n", "contracts/refund.pins.yaml:1:12"),
    ],
    ids=["cut", "unknown-key", "pins"],
)
def test_the_files_beside_the_cases(tmp_path: Path, file: str, text: str, place: str) -> None:
    pack(tmp_path, response=RIGHT, **{file: text})
    assert place in [found for _, _, found in said(tmp_path)]
    assert validate(tmp_path).code == 2


def test_cases_for_others_are_counted(tmp_path: Path) -> None:
    both = CONTRACT + "  - { id: live, input_ref: live.json, provider_modes: [openai] }\n"
    pack(tmp_path, contract=both, response=RIGHT, **{"golden/live.json": golden()})
    done = validate(tmp_path)
    summary = "valid: 1 contract with 1 case, and 1 that `provider_modes` keeps from being judged on recordings\n"
    assert (done.code, done.out, done.err) == (0, summary, "")


def test_json_that_no_yaml_reader_reads_is_valid(tmp_path: Path) -> None:
    text = golden(recorded(asked(), text="TEXT")).replace("TEXT", "\\ud83d\\ude00 \\/")
    pack(tmp_path, **{GOLDEN: text})
    assert validate(tmp_path).code == 0


def test_a_contract_outside_the_pack_is_not_read(tmp_path: Path) -> None:
    pack(tmp_path, response=RIGHT, **{"pack.yaml": "name: p\ncontracts: [../x.yaml, contracts/refund.yaml]\n"})
    write(tmp_path, {"packs/x.yaml": "{"})
    assert said(tmp_path) == [("error", "leaves-pack", "pack.yaml:2:13")]
