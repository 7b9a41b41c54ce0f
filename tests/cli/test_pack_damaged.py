"""Recordings and arguments that are damaged, huge or deep: a finding each, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from .packs import findings, pack, run

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


def test_a_directory_in_the_place_of_a_file(tmp_path: Path) -> None:
    root = pack(tmp_path)
    (root / RECORDING).mkdir(parents=True)
    done = run(tmp_path, "--json")
    assert (done.code, findings(done)["asks/tool_calls"][1]) == (3, "recording_not_found")
