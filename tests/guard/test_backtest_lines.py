"""Lines that are no event are counted and said; a log is read once, whatever its size."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from bylaw.errors import Misuse
from bylaw.guard.audit import AuditAction, AuditEvent, FileSink, log_files
from bylaw.guard.backtests import backtest
from bylaw.guard.guard import Guard

from .bundles import ALWAYS, bundle, limit, pre
from .recordings import Asked, compared, found, play, policy, record

FREE = bundle(pre("never", {"args.never": {"exists": True}}))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"not json", "junk"),
        (b"", "junk"),
        (b"[1]", "junk"),
        (b'{"schema_version":"2","action":"call_allowed"}', "junk"),
        (b'{"writer":"1-a","seq":9,"prev":"ab', "cut"),
        (b"\xff\xfe", "junk"),
        (b"[" * 100_000, "junk"),
    ],
)
def test_a_broken_line_is_counted_and_said(line: bytes, kind: str, tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t")])
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(lines[0] + line + b"\n" + lines[1])
    report = compared(log, FREE)
    assert report.unread_lines == {kind: 1}
    (unread,) = report.unread
    assert (unread.where, unread.kind) == (f"{log}:2", kind)
    assert unread.says
    assert (report.calls, report.complete) == (1, False)


@pytest.mark.parametrize("field", ["tool_args", "principal", "contracts_evaluated"])
def test_an_event_with_a_part_of_the_wrong_kind_is_no_event(field: str, tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("rule", {"args.token": {"equals": "a"}})), [Asked("t", {"token": "b"})])
    fields = msgspec.json.decode(log.read_bytes().splitlines()[0])
    log.write_bytes(msgspec.json.encode(fields | {field: "observed false"}) + b"\n")
    report = compared(log, bundle(pre("rule", {"args.token": {"equals": "a"}})))
    assert report.unread_lines == {"junk": 1}
    assert not report.complete


def test_a_plain_log_in_another_layout_is_read(tmp_path: Path) -> None:
    log = record(tmp_path / "log", bundle(pre("all", ALWAYS, mode="observe")), [Asked("t", {"x": 1})])
    events = [json.loads(line) for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps(event, sort_keys=True) + "\n" for event in events))
    assert found(compared(log, FREE)) == [("unobserved", "all", 1)]


def test_lost_events_leave_the_comparison_open_and_deleted_files_do_not(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t")])
    chain = '{"writer":"1-a","seq":0,"prev":"",%s,"hash":"x"}\n'
    whole = log.read_text()
    log.write_text(whole + chain % '"dropped":{"files":["log.000001"],"heads":[]}')
    report = compared(log, FREE)
    assert (report.unread_lines, report.complete) == ({"deleted": 1}, True)
    log.write_text(whole + chain % '"gap":{"lost":7,"why":"the disk was full"}')
    report = compared(log, FREE)
    assert (report.unread_lines, report.complete) == ({"lost": 1}, False)
    assert "7 events" in report.unread[0].says


def test_many_broken_lines_are_counted_and_some_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"no\n" * 1_000)
    report = compared(log, FREE)
    assert report.unread_lines == {"junk": 1_000}
    assert 0 < len(report.unread) < 100


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="can't read"):
        compared(tmp_path / "none", FREE)


def test_rotated_files_are_one_log(tmp_path: Path) -> None:
    guard = Guard.from_text(FREE, audit_sink=FileSink(tmp_path / "log", flush="always", rotate_bytes=2_000))
    play(guard, [Asked("t")] * 10)
    guard.close()
    files = log_files(tmp_path / "log")
    assert len(files) > 2
    report = backtest(files, new=policy(bundle(limit("few", max_tool_calls=4))))
    assert (report.calls, report.orphans) == (10, 0)
    assert found(report) == [("tightened", "few", 6)]


def test_outcomes_of_calls_from_before_the_log(tmp_path: Path) -> None:
    log = record(tmp_path / "log", FREE, [Asked("t"), Asked("t")])
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[1:]))
    report = compared(log, FREE)
    assert (report.calls, report.orphans) == (1, 1)


def test_a_log_is_not_held_in_memory(tmp_path: Path) -> None:
    """Twenty times the calls, of as many names, need no more memory but for the counters of their sessions."""

    def peak(calls: int) -> int:
        log = tmp_path / f"log-{calls}"
        with log.open("wb") as file:
            for number in range(calls):
                event = AuditEvent(
                    timestamp="2026-01-01T00:00:00Z",
                    action=AuditAction.CALL_DENIED,
                    run_id="r",
                    call_id=f"c{number}",
                    call_index=number,
                    tool_name=f"tool-{number}",
                    tool_args={"text": "x" * 1_000, "number": number},
                    environment="production",
                    mode="enforce",
                    policy_version="v",
                    decision_source="yaml_precondition",
                    decision_name=f"rule-{number}",
                    principal={"user_id": f"u{number}"},
                )
                file.write(msgspec.json.encode(event) + b"\n")
        tracemalloc.start()
        try:
            report = backtest([log], new=policy(FREE), examples=1)
            assert report.totals["loosened"] == calls
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1_000)
    assert peak(40_000) < 2 * peak(10_000)
