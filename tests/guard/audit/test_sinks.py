"""Where events go when it is not a file, and what a failing sink does to the others."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bylaw.guard.audit import AuditEvent, MemorySink, NullSink, SeveralSinks, SinkFailed, StdoutSink
from bylaw.guard.audit.sinks import encoded

from .samples import event


class Broken:
    """A sink of the user's own that fails as it likes."""

    def emit(self, event: AuditEvent, /) -> None:
        raise KeyError("gone")

    def flush(self) -> None:
        raise SinkFailed("can't flush")

    def close(self) -> None:
        """Nothing to give back."""


def test_memory_keeps_the_newest_and_counts_the_rest() -> None:
    sink = MemorySink(capacity=2)
    for index in range(5):
        sink.emit(event(index))
    assert [kept.call_index for kept in sink.events] == [3, 4]
    assert sink.dropped == 3


def test_nothing_is_kept_where_no_audit_is_wanted() -> None:
    sink = NullSink()
    sink.emit(event())
    sink.flush()
    sink.close()


def test_stdout_gets_one_object_a_line(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sink = StdoutSink()
    sink.emit(event(1, reason="naïve\nlines"))
    sink.emit(event(2))
    sink.close()
    out = capfdbinary.readouterr().out.splitlines()
    assert [msgspec.json.decode(line, type=AuditEvent).call_index for line in out] == [1, 2]


def test_a_stdout_that_is_only_text_will_do() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        StdoutSink().emit(event(1))
    assert msgspec.json.decode(out.getvalue(), type=AuditEvent) == event(1)


@pytest.mark.parametrize("stdout", [None, io.StringIO()])
def test_a_stdout_that_is_gone_is_a_failed_sink(stdout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if stdout is not None:
        stdout.close()
    monkeypatch.setattr(sys, "stdout", stdout)
    with pytest.raises(SinkFailed, match="stdout"):
        StdoutSink().emit(event())


def test_a_reader_that_went_away_is_a_failed_sink() -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "guard.audit.writers", "to_stdout", "unused"],
        cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.close()
    child.stdout = None
    _, said = child.communicate(b"go")
    assert said == b"can't write the audit to stdout: [Errno 32] Broken pipe"


def test_one_that_fails_keeps_no_other_from_its_event() -> None:
    first, last = MemorySink(), MemorySink()
    sinks = SeveralSinks(first, Broken(), last)
    with pytest.raises(SinkFailed, match="gone"):
        sinks.emit(event(1))
    with pytest.raises(SinkFailed, match="can't flush"):
        sinks.flush()
    sinks.close()
    assert first.events == last.events == (event(1),)


class Opaque:
    def __repr__(self) -> str:
        return "Opaque(password='hunter2')"


def test_an_event_that_json_can_not_hold_is_recorded_as_well_as_it_can_be() -> None:
    loop: list[Any] = []
    loop.append(loop)
    hard = event(1, tool_name="half \ud800", tool_args={"object": Opaque(), "loop": loop}, principal={("a", 1): 1})
    line = encoded(hard)
    back = msgspec.json.decode(line, type=AuditEvent)
    assert back.tool_name == "half \\ud800"
    assert back.tool_args == {"object": "Opaque(password='[redacted]')", "loop": ["[contains itself]"]}
    assert back.principal == {"('a', 1)": 1}
    assert b"hunter2" not in line
