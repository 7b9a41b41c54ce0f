"""One process's way to the file: batches, intervals, rotation, trouble and recovery."""

from __future__ import annotations

import fcntl
import logging
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bylaw.errors import Misuse
from bylaw.guard.audit import (
    AuditEvent,
    FileSink,
    Head,
    NotAnEvent,
    SinkFailed,
    heads_to_log,
    heads_to_telemetry,
    log_files,
    read_events,
    read_heads,
    verify,
)
from bylaw.guard.audit.chain_writer import MOST_WAITING_BYTES

from .samples import event, lines_of, write_log

PATIENCE_S = 30.0


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "audit.jsonl"


@pytest.fixture(autouse=True)
def _folder(log: Path) -> None:
    log.parent.mkdir()


def test_each_line_is_an_event_with_its_place_in_the_chain(log: Path) -> None:
    writer = write_log(log, 0, 1)
    first, second = (msgspec.json.decode(line) for line in lines_of(log))
    assert (first["writer"], first["seq"], first["prev"]) == (writer, 0, "")
    assert (second["writer"], second["seq"], second["prev"]) == (writer, 1, first["hash"])
    assert second["tool_name"] == "read_file"


def test_always_means_that_the_event_is_there_when_emit_returns(log: Path) -> None:
    sink = FileSink(log, flush="always")
    for index in range(3):
        sink.emit(event(index))
        assert len(lines_of(log)) == index + 1
    sink.close()


def test_what_waits_is_written_within_the_interval_without_being_asked(log: Path) -> None:
    sink = FileSink(log, interval_s=0.05)
    sink.emit(event(0))
    wait_until(lambda: len(lines_of(log)) == 1)
    sink.emit(event(1))
    wait_until(lambda: len(lines_of(log)) == 2)
    sink.close()


def test_what_fills_a_batch_does_not_wait_for_the_interval(log: Path) -> None:
    sink = FileSink(log, interval_s=3600)
    for index in range(1000):
        sink.emit(event(index))
    assert len(lines_of(log)) > 400
    sink.close()
    assert verify([log]).records == 1000


def test_flush_and_close_leave_nothing_behind(log: Path) -> None:
    sink = FileSink(log, interval_s=3600)
    sink.emit(event(0))
    sink.flush()
    assert len(lines_of(log)) == 1
    sink.emit(event(1))
    sink.close()
    sink.close()
    assert len(lines_of(log)) == 2
    with pytest.raises(SinkFailed, match="closed"):
        sink.emit(event(2))


def test_a_new_sink_on_an_old_file_begins_a_chain_of_its_own(log: Path) -> None:
    first, second = write_log(log, 0, 1), write_log(log, 2)
    found = verify([log])
    assert found.state == "held"
    assert [(chain.writer, chain.first, chain.last) for chain in found.chains] == [(first, 0, 1), (second, 0, 0)]


def test_the_head_is_the_last_record_in_the_file(log: Path) -> None:
    sink = FileSink(log, flush="always")
    assert sink.head is None
    sink.emit(event(0))
    sink.emit(event(1))
    assert sink.head == Head(writer=sink.writer, seq=1, hash=msgspec.json.decode(lines_of(log)[1])["hash"])
    sink.close()


def test_threads_share_one_chain(log: Path) -> None:
    sink = FileSink(log, interval_s=0.01)

    def emit_some(start: int) -> None:
        for index in range(500):
            sink.emit(event(start + index))

    threads = [threading.Thread(target=emit_some, args=(1000 * number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sink.close()
    found = verify([log])
    assert (found.state, found.records, len(found.chains)) == ("held", 4000, 1)
    indices = [each.call_index for each in read_events(log) if isinstance(each, AuditEvent)]
    assert sorted(indices) == sorted(1000 * number + index for number in range(8) for index in range(500))
    assert all(_in_order([index for index in indices if index // 1000 == number]) for number in range(8))


def _in_order(numbers: list[int]) -> bool:
    return numbers == sorted(numbers)


def test_a_record_larger_than_the_rotation_size_has_a_file_of_its_own(log: Path) -> None:
    write_log(log, 0, 1, 2, flush="always", rotate_bytes=100)
    assert [len(lines_of(file)) for file in log_files(log)] == [1, 1, 1]
    assert verify(log_files(log)).state == "held"


def test_other_files_beside_the_log_are_not_taken_for_its_own(log: Path) -> None:
    for name in ("audit.jsonl.bak", "audit.jsonl.1", "audit.jsonl2.000001", "other.000001"):
        log.with_name(name).write_text("x")
    write_log(log, 0, 1, flush="always", rotate_bytes=100, keep=1)
    assert [file.name for file in log_files(log)] == ["audit.jsonl.000001", "audit.jsonl"]


def test_a_log_that_was_moved_away_is_followed_by_a_new_one(log: Path) -> None:
    sink = FileSink(log, flush="always")
    sink.emit(event(0))
    moved = log.rename(log.with_name("moved"))
    sink.emit(event(1))
    sink.close()
    assert (len(lines_of(moved)), len(lines_of(log))) == (1, 1)
    assert verify([moved, log]).state == "held"
    assert verify([log]).state == "broken"


def test_a_folder_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SinkFailed, match=r"can't write the audit to .*missing.*: No such file or directory"):
        FileSink(tmp_path / "missing" / "audit.jsonl")


def test_a_folder_that_vanishes_fails_the_sink_until_it_is_back(log: Path) -> None:
    sink = FileSink(log, flush="always")
    sink.emit(event(0))
    shutil.rmtree(log.parent)
    for index in (1, 2):
        with pytest.raises(SinkFailed, match="No such file or directory"):
            sink.emit(event(index))
    log.parent.mkdir()
    sink.emit(event(3))
    sink.close()
    assert [each.call_index for each in read_events(log) if isinstance(each, AuditEvent)] == [1, 2, 3]


def test_a_buffered_sink_tells_of_trouble_with_a_later_event_and_recovers_by_itself(log: Path) -> None:
    sink = FileSink(log, interval_s=0.02)
    shutil.rmtree(log.parent)
    sink.emit(event(0))

    def fails() -> bool:
        try:
            sink.emit(event(1))
        except SinkFailed:
            return True
        return False

    wait_until(fails)
    with pytest.raises(SinkFailed):
        sink.flush()
    log.parent.mkdir()
    wait_until(log.exists)
    wait_until(lambda: not fails())
    sink.close()
    assert verify([log]).state == "held"


def test_what_could_not_be_kept_is_counted_by_a_record(log: Path) -> None:
    sink = FileSink(log, interval_s=3600)
    sink.flush()
    shutil.rmtree(log.parent)
    big = event(0, reason="x" * 1_000_000)
    for _ in range(20):
        try:
            sink.emit(big)
        except SinkFailed as failed:
            assert "No such file" in str(failed)  # noqa: PT017 (the first ones don't know yet)
    log.parent.mkdir()
    sink.flush()
    sink.emit(event(1))
    sink.close()
    read = list(read_events(log))
    kept = sum(isinstance(each, AuditEvent) for each in read) - 1
    (told,) = [each for each in read if isinstance(each, NotAnEvent)]
    assert kept == MOST_WAITING_BYTES // 1_000_500
    assert (
        told.says
        == f"{20 - kept} events were never written: can't write the audit to {log}: No such file or directory"
    )
    found = verify([log])
    assert found.state == "held"
    assert [notice.kind for notice in found.notices] == ["lost"]


def test_closing_says_what_was_never_written(log: Path) -> None:
    sink = FileSink(log, interval_s=3600)
    sink.emit(event(0))
    sink.emit(event(1))
    shutil.rmtree(log.parent)
    with pytest.raises(SinkFailed, match="events never written: 2"):
        sink.close()


def test_whoever_keeps_the_file_locked_fails_the_sink_and_blocks_nobody(log: Path) -> None:
    sink = FileSink(log, flush="always")
    with log.open("ab") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(SinkFailed, match="another process keeps it locked"):
            sink.emit(event(0))
    sink.emit(event(1))
    sink.close()
    assert verify([log]).records == 2


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"flush": "never"}, "`never`"),
        ({"rotate_bytes": 0}, "less than 1 byte"),
        ({"keep": -1}, "-1 old audit files"),
    ],
)
def test_settings_that_mean_nothing_are_refused(log: Path, settings: dict[str, Any], says: str) -> None:
    with pytest.raises(Misuse, match=says):
        FileSink(log, **settings)


def test_where_heads_can_not_go_is_said_once_and_costs_no_record(log: Path, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(head: Head) -> None:
        raise ConnectionError("no route")

    with caplog.at_level(logging.WARNING):
        write_log(log, 0, 1, 2, flush="always", heads=refuse, heads_every_s=0)
    assert [record.getMessage() for record in caplog.records] == [
        "can't publish the head of an audit chain: no route"
    ]
    assert verify([log]).records == 3


def test_a_head_goes_out_after_the_interval_though_nothing_more_comes(log: Path) -> None:
    published: list[Head] = []
    sink = FileSink(log, flush="always", heads=published.append, heads_every_s=0.05)
    sink.emit(event(0))
    sink.emit(event(1))
    wait_until(lambda: bool(published) and published[-1].seq == 1)
    sink.close()


def test_a_file_that_can_not_be_renamed_grows_on_and_this_is_said_once(
    log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long_name = log.with_name("a" * 250)
    with caplog.at_level(logging.WARNING):
        write_log(long_name, 0, 1, 2, flush="always", rotate_bytes=500)
    assert log_files(long_name) == [long_name]
    assert verify([long_name]).records == 3
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("can't rotate the audit file")


def test_heads_can_go_to_a_log_that_is_shipped_elsewhere(log: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="bylaw.audit.heads")
    write_log(log, 0, 1, heads=heads_to_log)
    (record,) = [record for record in caplog.records if record.name == "bylaw.audit.heads"]
    shipped = log.with_name("shipped.jsonl")
    shipped.write_text(record.getMessage() + "\n")
    assert verify([log], heads=read_heads(shipped)).state == "held"


def test_heads_can_go_to_telemetry(log: Path) -> None:
    exported, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exported))
    write_log(log, 0, 1, heads=heads_to_telemetry(provider))
    (span,) = exported.get_finished_spans()
    assert (span.name, dict(span.attributes or {})["audit.seq"]) == ("audit head", 1)
