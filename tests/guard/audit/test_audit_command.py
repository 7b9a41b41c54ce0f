"""`bylaw audit verify`, as its user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bylaw.cli.audit import command
from bylaw.errors import Misuse

from .samples import lines_of, write_log


def audit(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def test_an_intact_log(log: Path) -> None:
    write_log(log, 0, 1, 2)
    result = audit("verify", log)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "intact: 3 records in 1 chain",
        "can't be known without --heads: records removed at the end of a chain, and whole chains removed",
        "can't be known without --heads: records rewritten together with everything after them in their chain",
    ]


def test_a_broken_log_names_the_first_record(log: Path) -> None:
    writer = write_log(log, 0, 1, 2)
    first, _, last = lines_of(log)
    log.write_bytes(first + last)
    result = audit("verify", log)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"{log}:2: removed: chain {writer}: record 1 should stand before record 2",
        "broken: 2 records in 1 chain",
    ]


def test_heads_find_what_was_removed_at_the_end(log: Path, tmp_path: Path) -> None:
    heads = tmp_path / "heads"
    write_log(log, 0, 1, 2, heads=heads)
    assert audit("verify", log, "--heads", heads).exit_code == 0
    log.write_bytes(b"".join(lines_of(log)[:1]))
    result = audit("verify", log, "--heads", heads)
    assert result.exit_code == 1
    assert "records 1 to 2 should follow record 0" in result.output


def test_rotated_files_are_found_and_read_in_their_order(log: Path) -> None:
    write_log(log, *range(10), flush="always", rotate_bytes=1500)
    files = sorted(log.parent.iterdir(), reverse=True)
    assert len(files) > 3
    for arguments in ([log], files, [*files, log]):
        result = audit("verify", *arguments)
        assert result.exit_code == 0
        assert result.output.startswith("intact: 10 records in 1 chain\n")


def test_the_result_as_json(log: Path) -> None:
    writer = write_log(log, 0, 1)
    log.write_bytes(log.read_bytes().replace(b"/srv/data/1", b"/srv/data/9"))
    result = audit("verify", "--json", log)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["schema"] == 1
    assert document["state"] == "broken"
    assert document["problems"] == [
        {
            "kind": "changed", "says": "record 1 is not what was written", "file": str(log), "line": 2,
            "writer": writer, "seq": 1,
        }
    ]  # fmt: skip


def test_a_log_without_records_decides_nothing(log: Path) -> None:
    log.touch()
    result = audit("verify", log)
    assert result.exit_code == 3
    assert result.output == "nothing to verify: no records found\n"


def test_what_can_not_be_read_is_misuse(tmp_path: Path) -> None:
    for arguments in ([tmp_path / "missing"], [tmp_path / "no" / "folder"], [tmp_path]):
        assert isinstance(audit("verify", *arguments).exception, Misuse)
    assert audit("verify").exit_code == 2


def test_notes_are_shown_and_what_is_in_the_log_moves_no_cursor(log: Path) -> None:
    write_log(log, 0)
    with log.open("ab") as file:
        file.write(b'{"writer":"\\u001b[2J","seq":0,"prev":"","hash":"x"}\n{"writer":"1-')
    result = audit("verify", log)
    assert result.exit_code == 1
    assert "\x1b" not in result.output
    assert f"{log}:3: note: a record was cut off here" in result.output
