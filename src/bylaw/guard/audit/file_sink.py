"""Audit events in a file: chained, shared between processes, and written in batches."""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import sys
import threading
import weakref
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from bylaw.errors import Misuse
from bylaw.guard.audit.chain import Dropped, Gap, Head, Position, chained
from bylaw.guard.audit.events import AuditEvent
from bylaw.guard.audit.heads import HeadPublisher, PublishHead
from bylaw.guard.audit.log_file import LogFile
from bylaw.guard.audit.rotation import last_word_on, rotated_files
from bylaw.guard.audit.sinks import SinkFailed, encoded

BATCH_BYTES = 256 * 1024
"""What is written at one go; whoever fills a batch writes it."""

MOST_WAITING_BYTES = 8 * 1024 * 1024
"""What is held back while the file can't be written. Later events are lost, and a record says how many."""

_log = logging.getLogger(__name__)


class _Standing(NamedTuple):
    """Where the chain ends and what is still to be written: one value, so that no signal comes between the two."""

    position: Position
    waiting: list[bytes]


class _Flight(NamedTuple):
    """A batch on its way to the file."""

    lines: bytes
    records: int
    before: Position
    after: Position


class FileSink:
    """Appends events to a file, one line each, as a chain of this process's own.

    Several processes and threads may write one file. With `flush="interval"` a thread writes what has come together,
    so a crash loses at most the last `interval_s` seconds; with `flush="always"` the event has left the process when
    `emit` returns. Neither waits for the disk: what the operating system loses with the power is lost.

    A file that would exceed `rotate_bytes` is set aside under a number, and no more than `keep` such files stay.
    `heads` gets the end of the chain every `heads_every_s` seconds while it grows, and when the sink is closed.

    While the file can't be written `emit` raises `SinkFailed`. The events are held back, up to a bound, and written
    when that is possible again; of those beyond the bound a record tells the number.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        flush: Literal["interval", "always"] = "interval",
        interval_s: float = 0.5,
        rotate_bytes: int | None = None,
        keep: int | None = None,
        heads: str | Path | PublishHead | None = None,
        heads_every_s: float = 60.0,
    ) -> None:
        _check(flush=flush, rotate_bytes=rotate_bytes, keep=keep)
        self._file = LogFile(Path(path), rotate_bytes=rotate_bytes)
        try:
            self._file.open()
        except OSError as error:
            raise SinkFailed(self._says(error)) from error
        self._always = flush == "always"
        self._interval_s = interval_s
        self._keep = keep
        self._heads = HeadPublisher(heads, every_s=heads_every_s)
        self._closed = False
        self._begin_chain()
        _open_sinks.add(self)
        atexit.register(self._at_exit)

    def _begin_chain(self) -> None:
        self.writer = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._lock = threading.RLock()
        self._writing = threading.RLock()
        self._busy = False
        self._standing = _Standing(Position(), [])
        self._waiting_bytes = 0
        self._flight: _Flight | None = None
        self._failure: str | None = None
        self._lost = 0
        self._lost_why = ""
        self._rotations_seen = self._file.rotations
        self._complained = False
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._stop = threading.Event()

    def emit(self, event: AuditEvent, /) -> None:
        record = encoded(event)
        with self._lock:
            if self._closed:
                raise SinkFailed(f"the audit sink of {self._file.path} is closed")
            if self._lost or self._waiting_bytes + len(record) > MOST_WAITING_BYTES:
                self._lost += 1
                self._lost_why = self._failure or "more events than can be written"
            else:
                waiting = self._standing.waiting
                waiting.append(record)
                self._waiting_bytes += len(record)
                if len(waiting) == 1 and not self._always:
                    self._wake.set()
        if self._thread is None:
            self._start_thread()
        if self._always or (self._waiting_bytes > BATCH_BYTES and self._failure is None):
            self._write_out()
        if self._failure is not None:
            raise SinkFailed(self._failure)

    def flush(self) -> None:
        """Everything emitted before is in the file, or `SinkFailed` says why it is not."""
        self._write_out()
        if self._failure is not None:
            raise SinkFailed(self._failure)

    def close(self) -> None:
        """Flushes, publishes the head and gives the file back; what could not be written by now is lost."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        atexit.unregister(self._at_exit)
        _open_sinks.discard(self)
        self._finish()
        self._file.close()
        if self._failure is not None:
            unwritten = len(self._standing.waiting) + self._lost
            raise SinkFailed(f"{self._failure}; events never written: {unwritten}")

    @property
    def head(self) -> Head | None:
        """The last record of this chain that is in the file."""
        position = self._standing.position
        return Head(writer=self.writer, seq=position.seq - 1, hash=position.prev) if position.seq else None

    def _write_out(self) -> None:
        with self._writing:
            if self._busy:
                return  # a signal's handler came in between; whom it interrupted goes on writing
            self._busy = True
            try:
                self._recover_flight()
                while self._write_batch():
                    self._failure = None
                self._drop_old_files()
            except OSError as error:
                self._failure = self._says(error)
                self._wake.set()
            finally:
                self._busy = False
            self._heads.offer(self.head)

    def _write_batch(self) -> bool:
        with self._lock:
            position, waiting = self._standing
            if not waiting and self._lost:
                self._put(Gap(lost=self._lost, why=self._lost_why))
                self._lost = 0
            batch = waiting[: _count_in_batch(waiting)] if self._waiting_bytes > BATCH_BYTES else waiting[:]
        if not batch:
            return False
        lines, end = chained(self.writer, position, batch)
        self._flight = _Flight(lines, len(batch), position, end)
        try:
            self._file.append(lines)
        except OSError:
            self._flight = None
            raise
        self._land(self._flight)
        return True

    def _put(self, record: Gap | Dropped) -> None:
        self._standing.waiting.append(msgspec.json.encode({type(record).__name__.lower(): record}))

    def _land(self, flight: _Flight) -> None:
        with self._lock:
            rest = self._standing.waiting[flight.records :]
            self._standing = _Standing(flight.after, rest)
            self._waiting_bytes = sum(map(len, rest))
        self._flight = None

    def _recover_flight(self) -> None:
        """An exception out of nowhere, as of Ctrl-C, may have hit a write: the file tells whether that landed."""
        flight = self._flight
        if flight is None:
            return
        if self._standing.position == flight.before and self._file.holds(flight.lines):
            self._land(flight)
        self._flight = None

    def _drop_old_files(self) -> None:
        """The chain says what is deleted before it is."""
        self._complain("can't rotate the audit file", self._file.rotation_failure)
        if self._keep is None or self._rotations_seen == self._file.rotations:
            return
        self._rotations_seen = self._file.rotations
        try:
            numbered = rotated_files(self._file.path)
            old = numbered[: max(0, len(numbered) - self._keep)]
            last_word = last_word_on(old)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):  # then another process was faster
                self._complain("can't read the old audit files that are to be deleted", error)
            return
        if old:
            with self._lock:
                self._put(last_word)
            while self._write_batch():
                self._failure = None
            self._delete(old)

    def _delete(self, files: list[Path]) -> None:
        try:
            for file in files:
                file.unlink(missing_ok=True)
        except OSError as error:
            self._complain("can't delete old audit files", error)

    def _complain(self, what: str, error: OSError | None) -> None:
        """Of trouble that costs no record: said once."""
        if error is not None and not self._complained:
            self._complained = True
            _log.warning("%s of %s: %s", what, self._file.path, error)

    def _says(self, error: OSError) -> str:
        return f"can't write the audit to {self._file.path}: {error.strerror or error}"

    def _start_thread(self) -> None:
        with self._lock:
            if self._thread is not None or self._closed:
                return
            self._thread = threading.Thread(target=self._run, name=f"audit of {self._file.path.name}", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # the interpreter is on its way out and starts no threads
                self._always = True
            self._flush_with_multiprocessing()

    def _flush_with_multiprocessing(self) -> None:
        """A process that multiprocessing forked ends without `atexit`, by finalizers of its own."""
        if "multiprocessing.util" in sys.modules:
            from multiprocessing.util import Finalize  # 10 ms that only who uses it has paid already

            Finalize(self, _finish_if_open, args=(weakref.ref(self),), exitpriority=0)

    def _run(self) -> None:
        while not self._stop.is_set():
            if self._wake.wait(self._heads.seconds_left):
                self._stop.wait(self._interval_s)
                self._wake.clear()
                self._write_out()
            else:
                with self._writing:
                    self._heads.offer(self.head)

    def _finish(self) -> None:
        self._stop.set()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread() and thread.is_alive():
            thread.join(timeout=2.0)
        self._write_out()
        with self._writing:
            self._heads.offer(self.head, final=True)

    def _at_exit(self) -> None:
        """What comes later, from other exit handlers, is written at once."""
        if self._closed:
            return
        self._always = True
        self._finish()
        if self._failure is not None:
            _log.error("%s; events never written: %d", self._failure, len(self._standing.waiting) + self._lost)

    def _after_fork(self) -> None:
        """What waits is the parent's to write; the child has a chain and a view of the file of its own."""
        self._file.close()
        self._begin_chain()


def _count_in_batch(waiting: list[bytes]) -> int:
    size = 0
    for count, record in enumerate(waiting):
        size += len(record)
        if size > BATCH_BYTES:
            return count or 1
    return len(waiting)


def _check(*, flush: str, rotate_bytes: int | None, keep: int | None) -> None:
    if flush not in ("interval", "always"):
        raise Misuse(f"`{flush}` is no way to flush an audit file; `interval` and `always` are")
    if rotate_bytes is not None and rotate_bytes < 1:
        raise Misuse("an audit file can't be rotated at less than 1 byte")
    if keep is not None and keep < 0:
        raise Misuse(f"{keep} old audit files can't be kept")


def _finish_if_open(sink: weakref.ref[FileSink]) -> None:
    if (found := sink()) is not None:
        found._at_exit()


_open_sinks: weakref.WeakSet[FileSink] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for sink in list(_open_sinks):
        sink._after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
