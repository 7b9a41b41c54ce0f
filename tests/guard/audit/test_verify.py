"""Every way to tamper with a log, and what verifying finds of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bylaw.errors import Misuse
from bylaw.guard.audit import FileSink, Head, Verification, log_files, read_heads, verify
from bylaw.guard.audit.chain import Position, chained
from bylaw.guard.audit.sinks import encoded
from bylaw.guard.audit.verify import BEYOND_HEADS, WITHOUT_HEADS

from .samples import event, lines_of, write_log


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def heads(tmp_path: Path) -> Path:
    return tmp_path / "heads.jsonl"


def only_problem(found: Verification) -> tuple[str, int, str]:
    assert found.state == "broken"
    (problem,) = found.problems
    return problem.kind, problem.line, problem.says


def change(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b"/srv/data/2.txt", b"/srv/data/9.txt") for line in lines]


def change_the_hash(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2][:-10] + b"0000000" + lines[2][-3:], *lines[3:]]


def change_spacing(lines: list[bytes]) -> list[bytes]:
    return [*lines[:2], lines[2].replace(b'"seq":2', b'"seq": 2'), *lines[3:]]


def change_and_hash_anew(lines: list[bytes]) -> list[bytes]:
    writer = lines[0].split(b'"')[3].decode()
    prev = lines[1][-67:-3].decode()
    forged, _ = chained(writer, Position(2, prev), [encoded(event(2, tool_name="harmless"))])
    return [*lines[:2], forged, *lines[3:]]


TAMPERING: list[tuple[Callable[[list[bytes]], list[bytes]], str, int, str]] = [
    (change, "changed", 3, "record 2 is not what was written"),
    (change_the_hash, "changed", 3, "record 2 is not what was written"),
    (change_spacing, "changed", 3, "record 2 is not what was written"),
    (change_and_hash_anew, "changed", 4, "record 3 does not follow from record 2"),
    (lambda lines: lines[:2] + lines[3:], "removed", 3, "record 2 should stand before record 3"),
    (lambda lines: lines[:1] + lines[4:], "removed", 2, "records 1 to 3 should stand before record 4"),
    (lambda lines: lines[1:], "removed", 1, "record 0 should stand before record 1"),
    (lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]], "reordered", 3, "record 3 stands before record 2"),
    (lambda lines: [lines[1], lines[0], *lines[2:]], "reordered", 1, "record 1 stands before record 0"),
    (lambda lines: lines[:3] + lines[2:], "repeated", 4, "record 2 stands here again"),
    (lambda lines: lines + lines[:1], "repeated", 6, "record 0 stands here again, after record 4"),
    (lambda lines: [*lines[:2], b"{}\n", *lines[2:]], "junk", 3, "no record of a chain"),
    (lambda lines: [*lines[:2], b"\n", *lines[2:]], "junk", 3, "no record of a chain"),
    (lambda lines: [*lines[:2], b"\xff\xfe\n", *lines[2:]], "junk", 3, "no record of a chain"),
    (lambda lines: [*lines[:2], encoded(event()) + b"\n", *lines[2:]], "junk", 3, "no record of a chain"),
]  # fmt: skip


@pytest.mark.parametrize(("tamper", "kind", "line", "says"), TAMPERING)
def test_the_first_record_that_was_tampered_with_is_found(
    log: Path, tamper: Callable[[list[bytes]], list[bytes]], kind: str, line: int, says: str
) -> None:
    write_log(log, 0, 1, 2, 3, 4)
    assert verify([log]).state == "held"
    log.write_bytes(b"".join(tamper(lines_of(log))))
    found_kind, found_line, found_says = only_problem(verify([log]))
    assert (found_kind, found_line) == (kind, line)
    assert says in found_says


@pytest.mark.parametrize("position", range(0, 400, 7))
def test_any_changed_byte_is_found(log: Path, position: int) -> None:
    write_log(log, 0, 1, 2)
    content = bytearray(log.read_bytes())
    place = len(lines_of(log)[0]) + position
    content[place] ^= 1
    log.write_bytes(content)
    found = verify([log])
    assert found.state == "broken"
    assert found.problems[0].line in (2, 3)


def test_a_change_in_one_chain_accuses_no_other(log: Path) -> None:
    first, second = write_log(log, 0, 1, 2), write_log(log, 5, 6, 7)
    log.write_bytes(log.read_bytes().replace(b"/srv/data/1.txt", b"/srv/data/8.txt"))
    found = verify([log])
    assert [(problem.writer, problem.seq) for problem in found.problems] == [(first, 1)]
    assert {chain.writer: chain.intact for chain in found.chains} == {first: False, second: True}


def test_the_end_of_a_chain_can_be_removed_unseen_without_heads_and_this_is_said(log: Path, heads: Path) -> None:
    write_log(log, 0, 1, 2, 3, heads=heads)
    log.write_bytes(b"".join(lines_of(log)[:2]))
    without = verify([log])
    assert without.state == "held"
    assert without.unknown == WITHOUT_HEADS
    kind, line, says = only_problem(verify([log], heads=read_heads(heads)))
    assert (kind, line) == ("removed", 2)
    assert says.startswith("records 2 to 3 should follow record 1")


def test_a_log_written_anew_needs_heads_to_be_found_out(log: Path, heads: Path) -> None:
    writer = write_log(log, 0, 1, 2, 3, heads=heads)
    forged, _ = chained(writer, Position(), [encoded(event(n, tool_name="harmless")) for n in range(4)])
    log.write_bytes(forged)
    assert verify([log]).state == "held"
    kind, line, says = only_problem(verify([log], heads=read_heads(heads)))
    assert (kind, line) == ("changed", 4)
    assert "not the one whose head was published" in says


def test_a_chain_that_is_gone_needs_heads_to_be_missed(log: Path, heads: Path) -> None:
    gone, _ = write_log(log, 0, 1, heads=heads), write_log(log, 2, heads=heads)
    log.write_bytes(lines_of(log)[-1])
    assert verify([log]).state == "held"
    found = verify([log], heads=read_heads(heads))
    kind, line, says = only_problem(found)
    assert (kind, line) == ("removed", 0)
    assert "no record of this chain is left" in says
    assert found.problems[0].writer == gone


def test_a_log_that_leads_to_its_heads_is_intact(log: Path, heads: Path) -> None:
    write_log(log, 0, 1, 2, heads=heads)
    found = verify([log], heads=read_heads(heads))
    assert found.state == "held"
    assert found.unknown == BEYOND_HEADS
    assert [chain.anchored for chain in found.chains] == [2]


def test_heads_come_out_while_the_chain_grows(log: Path) -> None:
    published: list[Head] = []
    sink = FileSink(log, flush="always", heads=published.append, heads_every_s=0)
    for index in range(3):
        sink.emit(event(index))
    sink.close()
    assert [head.seq for head in published] == [0, 1, 2]
    assert verify([log], heads=published).chains[0].anchored == 2


def test_no_record_is_no_proof(log: Path) -> None:
    log.write_bytes(b"")
    assert verify([log]).state == "undecided"
    assert verify([]).state == "undecided"


def test_a_record_that_was_cut_off_is_no_tampering(log: Path) -> None:
    write_log(log, 0, 1, 2)
    log.write_bytes(log.read_bytes()[:-30])
    found = verify([log])
    assert found.state == "held"
    assert found.records == 2
    assert [(notice.kind, notice.line) for notice in found.notices] == [("cut", 3)]


@pytest.mark.parametrize("left", [1, 5, 20, 100, 300])
def test_whoever_comes_after_a_cut_record_starts_a_line_of_its_own(log: Path, left: int) -> None:
    write_log(log, 0, 1)
    first, last = lines_of(log)
    log.write_bytes(first + last[:left])
    write_log(log, 2, 3)
    found = verify([log])
    assert found.state == "held"
    assert (found.records, len(found.chains)) == (3, 2)
    assert [(notice.kind, notice.line) for notice in found.notices] == [("cut", 2)]


def test_a_record_made_to_look_cut_off_in_the_middle_is_a_removal(log: Path) -> None:
    write_log(log, 0, 1, 2)
    first, middle, last = lines_of(log)
    log.write_bytes(first + middle[:50] + b"\n" + last)
    assert only_problem(verify([log]))[:2] == ("removed", 3)


def test_a_giant_line_is_junk_and_costs_no_memory(log: Path) -> None:
    write_log(log, 0, 1)
    first, last = lines_of(log)
    with log.open("wb") as file:
        file.write(first)
        file.truncate(file.tell() + 200 * 1024 * 1024)
        file.seek(0, 2)
        file.write(b"\n" + last)
    assert only_problem(verify([log]))[:2] == ("junk", 2)


def test_much_junk_is_counted_not_listed(log: Path) -> None:
    log.write_bytes(b"junk\n" * 1000)
    found = verify([log])
    assert (len(found.problems), found.more_problems) == (100, 900)


def test_a_file_that_can_not_be_read_is_misuse(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="can't read"):
        verify([tmp_path / "missing"])
    with pytest.raises(Misuse, match="can't read"):
        verify([tmp_path])


def test_heads_that_are_none_are_misuse(tmp_path: Path) -> None:
    heads = tmp_path / "heads"
    heads.write_text('{"writer": "a", "seq": 1, "hash": "b"}\nnonsense\n')
    with pytest.raises(Misuse, match=r"heads:2: this is not the head of a chain"):
        read_heads(heads)
    with pytest.raises(Misuse, match="can't read"):
        read_heads(tmp_path / "missing")


def rotated_log(log: Path, *, keep: int | None = None, heads: Path | None = None) -> list[Path]:
    sink = FileSink(log, flush="always", rotate_bytes=3000, keep=keep, heads=heads)
    for index in range(40):
        sink.emit(event(index))
    sink.close()
    return log_files(log)


def test_a_chain_goes_on_across_files(log: Path) -> None:
    files = rotated_log(log)
    assert len(files) > 4
    assert all(file.stat().st_size <= 3000 for file in files)
    found = verify(files)
    assert (found.state, found.records) == ("held", 40)


@pytest.mark.parametrize("index", [0, 2])
def test_a_file_that_is_gone_is_a_removal(log: Path, index: int) -> None:
    files = rotated_log(log)
    files.pop(index).unlink()
    kind, line, _ = only_problem(verify(files))
    assert (kind, line) == ("removed", 1)


def test_what_rotation_deletes_is_said_by_the_chain_and_is_no_removal(log: Path) -> None:
    files = rotated_log(log, keep=2)
    assert len(files) == 3
    found = verify(files)
    assert found.state == "held"
    assert found.chains[0].first > 0
    assert {notice.kind for notice in found.notices} == {"deleted"}


def test_more_than_rotation_deleted_is_a_removal(log: Path) -> None:
    files = rotated_log(log, keep=2)
    files[0].write_bytes(b"".join(lines_of(files[0])[1:]))
    assert only_problem(verify(files))[:2] == ("removed", 1)


def test_a_writer_that_was_silent_while_others_rotated_goes_on(log: Path, heads: Path) -> None:
    silent = FileSink(log, flush="always", rotate_bytes=3000, keep=2, heads=heads)
    silent.emit(event(0))
    busy = FileSink(log, flush="always", rotate_bytes=3000, keep=2, heads=heads)
    for index in range(60):
        busy.emit(event(index))
    silent.emit(event(1))
    silent.close()
    busy.close()
    found = verify(log_files(log), heads=read_heads(heads))
    assert found.problems == ()
    assert {chain.writer: chain.last for chain in found.chains}[silent.writer] == 1


def test_a_chain_that_rotation_deleted_whole_is_not_missed(log: Path, heads: Path) -> None:
    write_log(log, 0, 1, heads=heads)
    rotated_log(log, keep=1, heads=heads)
    assert verify(log_files(log), heads=read_heads(heads)).state == "held"
