"""Where audit events go."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from threading import RLock
from typing import Protocol

import msgspec

from bylaw.errors import BylawError
from bylaw.guard.audit.events import AuditEvent
from bylaw.redaction import Redactor


class SinkFailed(BylawError):
    """The event is not where it should be by now; the message says why. The decision it tells of stands."""


class AuditSink(Protocol):
    """Takes events from any thread and from async code alike, so it must not block for long."""

    def emit(self, event: AuditEvent, /) -> None:
        """Raises `SinkFailed` if this event, or an earlier one that was taken, could not be written."""
        ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


_encode = msgspec.json.Encoder().encode
_as_plain_data = Redactor().redact_value


def encoded(event: AuditEvent) -> bytes:
    """The event as one JSON object; what JSON can't hold is recorded as well as it can be, never refused."""
    try:
        return _encode(event)
    except Exception:  # noqa: BLE001 (objects in the event's mappings are the caller's and may raise anything)
        fields = {name: _as_plain_data(getattr(event, name))[0] for name in event.__struct_fields__}
        return _encode({"schema_version": event.schema_version, **fields})


class NullSink:
    """For who wants no audit."""

    def emit(self, event: AuditEvent, /) -> None:
        """Nothing is kept."""

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


class MemorySink:
    """Keeps the newest events; `dropped` counts the older ones that had to go."""

    def __init__(self, capacity: int = 10_000) -> None:
        self._events: deque[AuditEvent] = deque(maxlen=capacity)
        self._lock = RLock()
        self.dropped = 0

    @property
    def events(self) -> tuple[AuditEvent, ...]:
        with self._lock:
            return tuple(self._events)

    def emit(self, event: AuditEvent, /) -> None:
        with self._lock:
            self.dropped += len(self._events) == self._events.maxlen
            self._events.append(event)

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """The events stay readable."""


class StdoutSink:
    """One JSON object a line on stdout, whatever stdout is at that moment."""

    def __init__(self) -> None:
        self._lock = RLock()

    def emit(self, event: AuditEvent, /) -> None:
        line = encoded(event) + b"\n"
        with self._lock:
            self._guarded(lambda: self._write(line))

    def flush(self) -> None:
        with self._lock:
            self._guarded(lambda: sys.stdout.flush())

    def close(self) -> None:
        self.flush()

    def _write(self, line: bytes) -> None:
        binary = getattr(sys.stdout, "buffer", None)
        if binary is None:
            sys.stdout.write(line.decode())
        else:
            sys.stdout.flush()
            binary.write(line)
            binary.flush()

    def _guarded(self, write: Callable[[], object]) -> None:
        try:
            write()
        except (OSError, ValueError, AttributeError) as error:  # gone, closed, or never there
            raise SinkFailed(f"can't write the audit to stdout: {error}") from error


class SeveralSinks:
    """Every event to every sink: one that fails keeps none of the others from its event."""

    def __init__(self, *sinks: AuditSink) -> None:
        self.sinks = sinks

    def emit(self, event: AuditEvent, /) -> None:
        self._each(lambda sink: sink.emit(event))

    def flush(self) -> None:
        self._each(lambda sink: sink.flush())

    def close(self) -> None:
        self._each(lambda sink: sink.close())

    def _each(self, act: Callable[[AuditSink], None]) -> None:
        failures: list[Exception] = []
        for sink in self.sinks:
            try:
                act(sink)
            except Exception as error:  # noqa: BLE001 (a sink is a border: it may be the user's own)
                failures.append(error)
        if failures:
            said = "; ".join(str(failure) or type(failure).__name__ for failure in failures)
            raise SinkFailed(said) from failures[0]
