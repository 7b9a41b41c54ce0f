"""A disk without room: the sink says so, keeps what it can, and goes on when there is room again."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bylaw.guard.audit import AuditEvent, FileSink, NotAnEvent, SinkFailed, log_files, read_events, verify
from bylaw.guard.audit.chain_writer import MOST_WAITING_BYTES

from .samples import event

DISK_BYTES = 64 * 1024


@pytest.fixture
def disk() -> Iterator[Path]:
    """Not below pytest's own folder, which can't be cleared while something is mounted there."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk of 64 KiB")
    folder = Path(tempfile.mkdtemp(prefix="bylaw-disk-"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    try:
        if mounted.returncode:
            pytest.skip("a disk of 64 KiB can't be mounted here")
        yield folder
        subprocess.run(["umount", "-l", str(folder)], check=True)
    finally:
        folder.rmdir()


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError:
            return ballast


def grow(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=32m", str(disk)], check=True)


def indices(log: Path) -> list[int]:
    return [each.call_index for file in log_files(log) for each in read_events(file) if isinstance(each, AuditEvent)]


def emitted_until_full(sink: FileSink, *, first: int = 0) -> int:
    for index in range(first, 100_000):
        try:
            sink.emit(event(index))
        except SinkFailed as failed:
            assert "No space left on device" in str(failed)  # noqa: PT017 (the loop must know which event failed)
            return index
    raise AssertionError("the disk never got full")


def test_a_full_disk_fails_the_sink_and_room_heals_it(disk: Path) -> None:
    log = disk / "audit.jsonl"
    sink = FileSink(log, flush="always")
    sink.emit(event(0))
    ballast = fill(disk)
    last = emitted_until_full(sink, first=1)
    assert log.read_bytes().endswith(b"\n")
    assert verify([log]).state == "held"
    ballast.unlink()
    sink.emit(event(last + 1))
    sink.close()
    assert indices(log) == list(range(last + 2))
    found = verify([log])
    assert (found.state, found.notices) == ("held", ())


def test_two_writers_on_a_full_disk_leave_each_others_lines_whole(disk: Path) -> None:
    log = disk / "audit.jsonl"
    sinks = [FileSink(log, flush="always") for _ in range(2)]
    fill(disk).write_bytes(b"x" * (DISK_BYTES // 2))
    for index in range(200):
        try:
            sinks[index % 2].emit(event(index, reason="x" * (37 * index % 900)))
        except SinkFailed:
            assert log.read_bytes().endswith(b"\n")
    assert verify([log]).state == "held"
    grow(disk)
    for sink in sinks:
        sink.close()
    found = verify([log])
    assert (found.problems, found.notices) == ((), ())
    assert sorted(indices(log)) == list(range(200))


def test_a_disk_that_stays_full_loses_events_and_the_chain_says_how_many(disk: Path) -> None:
    log = disk / "audit.jsonl"
    sink = FileSink(log, interval_s=3600)
    fill(disk)
    for index in range(12):
        try:
            sink.emit(event(index, reason="x" * 1_000_000))
        except SinkFailed as failed:
            assert "No space left on device" in str(failed)  # noqa: PT017 (the first events wait and know of nothing)
    grow(disk)
    sink.flush()
    sink.close()
    kept = MOST_WAITING_BYTES // 1_000_500
    assert indices(log) == list(range(kept))
    (told,) = [each for each in read_events(log) if isinstance(each, NotAnEvent)]
    assert told.kind == "lost"
    assert told.says.startswith(f"{12 - kept} events were never written")
    assert verify([log]).state == "held"


def test_rotation_on_a_full_disk_loses_nothing(disk: Path) -> None:
    log = disk / "audit.jsonl"
    sink = FileSink(log, flush="always", rotate_bytes=8_000)
    last = emitted_until_full(sink)
    grow(disk)
    sink.close()
    assert indices(log) == list(range(last + 1))
    assert verify(log_files(log)).state == "held"
