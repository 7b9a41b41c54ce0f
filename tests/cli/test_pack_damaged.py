"""Recordings and arguments that are damaged, huge or deep: a finding each, and never a traceback."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from .packs import PACK, answer, asked, findings, golden, pack, recorded, run, scripted

GOLDEN = "golden/refund.success.json"
RECORDING = "recordings/refund.success.recording.json"
DEEP = '{"order_id":"A-17","amount":20,"more":' + '{"a":' * 1_000 + "1" + "}" * 1_001
LARGE = '{"order_id":"A-17","amount":20,"more":"' + "x" * 10_000_000 + '"}'


def chat(arguments: object) -> str:
    call = {"id": "c", "type": "function", "function": {"name": "issue_refund", "arguments": arguments}}
    return msgspec.json.encode({"choices": [{"message": {"content": None, "tool_calls": [call]}}]}).decode()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("{'order_id': 'A-17'}", "malformed_arguments"),
        ('["A-17", 20]', "malformed_arguments"),
        ("null", "malformed_arguments"),
        (17, "malformed_arguments"),
        (DEEP, "malformed_arguments"),
        ("", "schema_violation"),
        (LARGE, ""),
    ],
    ids=["no-json", "list", "null", "number", "deep", "empty", "large"],
)
def test_arguments_of_every_kind(tmp_path: Path, arguments: object, code: str) -> None:
    pack(tmp_path, **{RECORDING: chat(arguments)})
    done = run(tmp_path, "--json")
    assert "Traceback" not in done.err
    assert findings(done)["asks/tool_calls"][1] == code
    assert done.code == (1 if code else 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "5",
        '"text"',
        "\ufeff{}",
        "[" * 100_000,
        '{"choices": 5}',
        '{"object": "chat.completion"}',
    ],
    ids=["empty", "cut", "list", "null", "number", "text", "bom", "deep", "choices", "nothing-in-it"],
)
def test_a_recording_that_is_none_is_not_reproducible(tmp_path: Path, text: str) -> None:
    pack(tmp_path, **{RECORDING: text})
    done = run(tmp_path, "--json")
    assert (done.code, done.err) == (3, "")
    assert findings(done)["asks/tool_calls"][:2] == ("error", "recording_unreadable")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    root = pack(tmp_path)
    (root / RECORDING).parent.mkdir()
    (root / RECORDING).write_bytes(b'{"content": "\xff\xfe"}')
    (root / "golden/refund.success.json").unlink()
    done = run(tmp_path, "--json")
    assert (done.code, findings(done)["asks/tool_calls"][1]) == (3, "recording_unreadable")


@pytest.mark.parametrize("kind", ["directory", "pipe", "dangling", "endless", "loop"])
def test_what_stands_in_the_place_of_a_recording_is_never_taken_for_nothing(tmp_path: Path, kind: str) -> None:
    root = pack(tmp_path, response=recorded(asked()))
    place = root / RECORDING
    place.parent.mkdir()
    match kind:
        case "directory":
            place.mkdir()
        case "pipe":
            os.mkfifo(place)
        case "dangling":
            place.symlink_to(root / "recordings/gone.json")
        case "endless":
            place.symlink_to("/dev/zero")
        case "loop":
            place.symlink_to(place)
    done = run(tmp_path, "--json")
    if kind == "endless":
        assert (done.code, "leaves-pack" in done.err) == (2, True)
    else:
        assert (done.code, findings(done)["asks/tool_calls"][1]) == (3, "recording_unreadable")


def test_a_golden_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    root = pack(tmp_path)
    (root / GOLDEN).write_bytes(b"\xef\xbb\xbf" + golden(recorded(asked())).encode())
    assert run(tmp_path).code == 0


@pytest.mark.parametrize("folder", ["golden", "recordings"])
@pytest.mark.parametrize("what", ["folder", "file"])
def test_links_that_lead_out_of_a_pack_are_refused(tmp_path: Path, folder: str, what: str) -> None:
    root = pack(tmp_path, response=recorded(asked()), **{RECORDING: chat("{}")})
    inside = root / folder if what == "folder" else root / (GOLDEN if folder == "golden" else RECORDING)
    inside.rename(tmp_path / "elsewhere")
    inside.symlink_to(tmp_path / "elsewhere")
    done = run(tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "leaves-pack" in done.err
    assert "contracts/refund.yaml:8:" in done.err


def test_a_capture_does_not_write_through_a_link(tmp_path: Path) -> None:
    root = pack(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (root / "recordings").symlink_to(tmp_path / "elsewhere")
    done, model = scripted(tmp_path, [answer(asked())], "run", PACK, "--provider", "openai", "--capture-recordings")
    assert (done.code, model.requests, list((tmp_path / "elsewhere").iterdir())) == (2, (), [])


def test_a_link_inside_a_pack_is_followed(tmp_path: Path) -> None:
    root = pack(tmp_path, response=recorded(asked()))
    (root / "cases").mkdir()
    (root / GOLDEN).rename(root / "cases/refund.json")
    (root / GOLDEN).symlink_to(root / "cases/refund.json")
    assert run(tmp_path).code == 0
