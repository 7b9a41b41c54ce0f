"""Events in few words, and logs made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bylaw.guard.audit import AuditAction, AuditEvent, FileSink, iso_timestamp

NOON = 1_760_000_000_000_000_000


def event(index: int = 0, **fields: Any) -> AuditEvent:
    known: dict[str, Any] = {
        "timestamp": iso_timestamp(NOON + index * 1_000_000),
        "action": AuditAction.CALL_ALLOWED,
        "run_id": "run-1",
        "call_id": f"call-{index}",
        "call_index": index,
        "tool_name": "read_file",
        "tool_args": {"path": f"/srv/data/{index}.txt"},
        "environment": "production",
        "mode": "enforce",
        "policy_version": "5e" * 32,
    }
    return AuditEvent(**(known | fields))


def write_log(path: Path, *indices: int, **settings: Any) -> str:
    """A log with an event for each index, appended by a writer of its own, whose name is returned."""
    sink = FileSink(path, **settings)
    try:
        for index in indices:
            sink.emit(event(index))
    finally:
        sink.close()
    return sink.writer


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)
