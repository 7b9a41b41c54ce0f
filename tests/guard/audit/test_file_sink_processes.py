"""Processes that share a file, fork, are killed or are interrupted: no record lost, no false alarm."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bylaw.guard.audit import AuditEvent, log_files, read_events, verify

from .samples import write_log

TESTS = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-W", "ignore::DeprecationWarning", "-m", "guard.audit.writers"]


def start(role: str, log: Path, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*PROGRAM, role, str(log), *map(str, arguments)],
        cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def run(role: str, log: Path, *arguments: object) -> bytes:
    process = start(role, log, *arguments)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    return out


def indices(log: Path) -> list[int]:
    return [each.call_index for file in log_files(log) for each in read_events(file) if isinstance(each, AuditEvent)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


@pytest.mark.parametrize(
    ("flush", "rotate_bytes", "count"),
    [("interval", 0, 400), ("interval", 30_000, 400), ("always", 0, 400), ("always", 1_000, 40)],
)
def test_processes_and_threads_write_one_log(log: Path, flush: str, rotate_bytes: int, count: int) -> None:
    processes = [start("many", log, flush, 1_000_000 * number, count, rotate_bytes, "all") for number in range(4)]
    assert [process.communicate()[1] for process in processes] == [b""] * 4
    found = verify(log_files(log))
    assert found.problems == ()
    assert found.notices == ()
    assert (found.records, len(found.chains)) == (4 * 3 * count, 4)
    assert set(Counter(indices(log)).values()) == {1}
    if rotate_bytes:
        assert len(log_files(log)) > 3


def test_processes_that_delete_old_files_accuse_nobody(log: Path) -> None:
    processes = [start("many", log, "interval", 1_000_000 * number, 300, 20_000, 3) for number in range(4)]
    assert [process.communicate()[1] for process in processes] == [b""] * 4
    found = verify(log_files(log))
    assert found.problems == ()
    assert 1 <= len(log_files(log)) <= 5
    assert {notice.kind for notice in found.notices} == {"deleted"}


@pytest.mark.parametrize("flush", ["interval", "always"])
def test_a_killed_process_leaves_a_log_that_verifies_and_can_be_continued(log: Path, flush: str) -> None:
    for _ in range(5):
        process = start("endless", log, flush)
        assert process.stdout is not None
        for _ in range(10):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate()
    write_log(log, 0)
    found = verify([log])
    assert found.problems == ()
    assert {notice.kind for notice in found.notices} <= {"cut"}
    assert len(found.chains) == 6


def test_always_loses_nothing_of_a_killed_process(log: Path) -> None:
    process = start("endless", log, "always")
    assert process.stdout is not None
    emitted = [process.stdout.readline() for _ in range(3)][-1]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(indices(log)) >= int(emitted) - 1


def test_a_sink_that_is_never_closed_is_flushed_at_exit(log: Path) -> None:
    run("leaves", log)
    assert indices(log) == [0, 1, 2, 3, 4, 99]
    assert verify([log]).state == "held"


def test_the_first_event_may_come_when_no_thread_can_be_started(log: Path) -> None:
    run("first_word_at_exit", log)
    assert indices(log) == [7]


def test_a_forked_child_has_a_chain_of_its_own_and_none_of_the_parents_events(log: Path) -> None:
    run("forks", log)
    found = verify([log])
    assert found.problems == ()
    assert len(found.chains) == 6
    seen = Counter(indices(log))
    assert set(seen.values()) == {1}
    assert {index for index in seen if index >= 10_000} == {
        10_000 * child + n for child in range(1, 6) for n in range(10)
    }
    assert set(range(10)) <= set(seen)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_multiprocessing_flush_when_they_end(log: Path, method: str) -> None:
    run("multiprocessing_child", log, method)
    assert sorted(indices(log)) == [0, *range(100, 105), *range(200, 205)]
    assert verify([log]).state == "held"


@pytest.mark.parametrize("flush", ["interval", "always"])
def test_an_exception_out_of_nowhere_breaks_no_chain(log: Path, flush: str) -> None:
    emitted = {int(index) for index in run("interrupted", log, flush).split()}
    found = verify(log_files(log))
    assert found.problems == ()
    seen = Counter(indices(log))
    assert emitted <= set(seen)
    assert set(seen.values()) == {1}


def test_a_signal_handler_may_emit_in_the_middle_of_an_emit(log: Path) -> None:
    emitted = int(run("in_a_handler", log))
    found = verify([log])
    assert (found.problems, found.records) == ((), emitted)


@pytest.mark.parametrize("flush", ["interval", "always"])
def test_a_file_that_may_not_grow_fails_the_sink_and_keeps_whole_lines(log: Path, flush: str) -> None:
    run("limited", log, flush)
    assert indices(log) == list(range(201))
    assert verify([log]).state == "held"
