"""Records may be gone because rotation deleted them; who removed them would like to say the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bylaw.errors import Misuse
from bylaw.guard.audit import FileSink, Head, log_files, read_heads, verify
from bylaw.guard.audit.chain import Dropped, Position, chained, read_link

from .samples import event, lines_of, write_log
from .test_audit_command import audit


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.fixture
def heads(tmp_path: Path) -> Path:
    return tmp_path / "heads.jsonl"


BEGINNING = Position()


def forged_note(*ends: Head, position: Position = BEGINNING, writer: str = "1-forged") -> bytes:
    """A chain of the attacker's own, which says that rotation deleted others up to these records."""
    note = Dropped(files=("audit.jsonl.000001",), heads=ends)
    lines, _ = chained(writer, position, [msgspec.json.encode({"dropped": note})])
    return lines


def head_of(line: bytes) -> Head:
    link = read_link(line)
    return Head(writer=link.writer, seq=link.seq, hash=link.hash)


def removed_and_excused(log: Path, *, first: int) -> None:
    """The records before the `first` are gone, and a note tries to explain it."""
    lines = lines_of(log)
    log.write_bytes(forged_note(head_of(lines[first - 1])) + b"".join(lines[first:]))


def test_a_forged_note_does_not_explain_a_removed_beginning_if_heads_were_published(log: Path, heads: Path) -> None:
    write_log(log, 0, 1, 2, 3, heads=heads)
    removed_and_excused(log, first=2)
    result = audit("verify", log, "--heads", heads)
    assert result.exit_code == 1
    assert "removed: " in result.output
    assert f"no published head vouches for the note at {log}:1" in result.output


def test_a_forged_note_does_not_explain_that_a_whole_chain_is_gone(log: Path, heads: Path) -> None:
    write_log(log, 0, 1, heads=heads)
    log.write_bytes(forged_note(*read_heads(heads)))
    found = verify([log], heads=read_heads(heads))
    assert [problem.kind for problem in found.problems] == ["removed"]
    assert "no published head vouches for the note" in found.problems[0].says


def test_a_note_added_behind_the_published_head_of_an_honest_chain_explains_nothing(log: Path, heads: Path) -> None:
    write_log(log, 0, 1, 2, 3, heads=heads)
    honest = write_log(log, 4, heads=heads)
    lines = lines_of(log)
    end = head_of(lines[4])
    note = forged_note(head_of(lines[1]), position=Position(1, end.hash), writer=honest)
    log.write_bytes(b"".join([*lines[2:], note]))
    assert [problem.kind for problem in verify([log], heads=read_heads(heads)).problems] == ["removed"]


def test_a_note_that_contradicts_a_published_head_explains_nothing(log: Path, heads: Path) -> None:
    write_log(log, 0, 1, heads=heads)
    (published,) = read_heads(heads)
    note = forged_note(msgspec.structs.replace(published, hash="0" * 64))
    log.write_bytes(note)
    vouched = [*read_heads(heads), head_of(note)]
    assert [problem.kind for problem in verify([log], heads=vouched).problems] == ["removed"]


def test_without_heads_a_note_is_believed_and_the_answer_says_so(log: Path) -> None:
    writer = write_log(log, 0, 1, 2, 3)
    removed_and_excused(log, first=2)
    result = audit("verify", log)
    assert result.exit_code == 0
    assert (
        f"can't be known without --heads: whether rotation deleted what stood before record 2 of chain {writer},"
        f" or somebody removed it and wrote the note at {log}:1" in result.output.splitlines()
    )


def test_a_chain_that_no_head_vouches_for_is_named(log: Path, heads: Path) -> None:
    write_log(log, 0, heads=heads)
    write_log(log, 1)
    log.write_bytes(log.read_bytes() + forged_note())
    result = audit("verify", log, "--heads", heads)
    assert result.exit_code == 0
    (said,) = [line for line in result.output.splitlines() if "no head vouches for" in line]
    assert said.endswith("1-forged")


def test_very_many_such_chains_are_counted(log: Path, heads: Path) -> None:
    write_log(log, 0, heads=heads)
    log.write_bytes(log.read_bytes() + b"".join(forged_note(writer=f"1-{number}") for number in range(30)))
    assert verify([log], heads=read_heads(heads)).unknown[-1].endswith("1-9 and 20 more")


@pytest.mark.parametrize("text", ["", "\n\n"], ids=["empty", "blank"])
def test_a_file_without_heads_is_misuse(log: Path, heads: Path, text: str) -> None:
    write_log(log, 0)
    heads.write_text(text)
    with pytest.raises(Misuse, match="there is no head of a chain in it"):
        read_heads(heads)
    assert isinstance(audit("verify", log, "--heads", heads).exception, Misuse)
    with pytest.raises(Misuse, match="no head of a chain to compare with"):
        verify([log], heads=[])


def test_what_rotation_says_is_vouched_for_before_it_deletes(log: Path) -> None:
    """Heads come out once an hour here, so only the one for the deletion can vouch for it."""
    published: list[Head] = []
    sink = FileSink(log, flush="always", rotate_bytes=3000, keep=1, heads=published.append, heads_every_s=3600)
    for index in range(40):
        sink.emit(event(index))
    found = verify(log_files(log), heads=published)
    sink.close()
    assert found.state == "held"
    assert found.chains[0].first > 0
