"""Events come back from any file; what is none is told, not passed over."""

from __future__ import annotations

from pathlib import Path

from bylaw.guard.audit import AuditEvent, FileSink, NotAnEvent, log_files, read_events
from bylaw.guard.audit.sinks import encoded

from .samples import event, write_log


def test_a_chained_log_gives_its_events_back(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    write_log(log, 0, 1, 2)
    assert list(read_events(log)) == [event(0), event(1), event(2)]


def test_plain_events_are_read_as_well(tmp_path: Path) -> None:
    log = tmp_path / "stdout.jsonl"
    log.write_bytes(encoded(event(0)) + b"\n" + encoded(event(1)))
    assert list(read_events(log)) == [event(0), event(1)]


def test_what_is_no_event_is_yielded_in_its_place(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    write_log(log, 0)
    later = encoded(event(1)).replace(b'"schema_version":"1"', b'"schema_version":"2"')
    with log.open("ab") as file:
        file.write(b"junk\n{}\n" + later + b"\n")
    write_log(log, 2)
    log.write_bytes(log.read_bytes() + b'{"writer":"1-a","seq":1,"pr')
    read = list(read_events(log))
    assert [type(each) for each in read] == [AuditEvent, NotAnEvent, NotAnEvent, NotAnEvent, AuditEvent, NotAnEvent]
    problems = [each for each in read if isinstance(each, NotAnEvent)]
    assert [(each.kind, each.line) for each in problems] == [("junk", 2), ("junk", 3), ("junk", 4), ("cut", 6)]
    assert "schema_version" in problems[2].says


def test_what_rotation_deleted_is_told(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    sink = FileSink(log, flush="always", rotate_bytes=2000, keep=1)
    for index in range(12):
        sink.emit(event(index))
    sink.close()
    read = [each for file in log_files(log) for each in read_events(file)]
    kinds = {each.kind for each in read if isinstance(each, NotAnEvent)}
    assert kinds == {"deleted"}
    assert [each.call_index for each in read if isinstance(each, AuditEvent)][-1] == 11
