"""Audit events in a file: chained, shared between processes, and written in batches."""

from __future__ import annotations

import atexit
import logging
import os
import queue
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Literal

from bylaw.errors import Misuse
from bylaw.guard.audit.chain import Head
from bylaw.guard.audit.chain_writer import BATCH_BYTES, ChainWriter
from bylaw.guard.audit.events import AuditEvent
from bylaw.guard.audit.heads import HeadPublisher, PublishHead
from bylaw.guard.audit.log_file import LogFile
from bylaw.guard.audit.sinks import SinkFailed, encoded

_Order = Literal["write", "stop"]

_log = logging.getLogger(__name__)


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
        self._begin()
        _open_sinks.add(self)
        atexit.register(self._at_exit)

    def _begin(self) -> None:
        self._chain = ChainWriter(self._file, keep=self._keep)
        self._failure: str | None = None
        self._writing = threading.RLock()
        self._busy = False
        self._starting = threading.RLock()
        self._thread: threading.Thread | None = None
        # A queue in C: `Event` is Python, and Ctrl-C in the midst of its `set` leaves it locked for ever.
        self._orders: queue.SimpleQueue[_Order] = queue.SimpleQueue()
        self._ordered = False

    @property
    def writer(self) -> str:
        return self._chain.writer

    @property
    def head(self) -> Head | None:
        """The last record of this process's chain that is in the file."""
        return self._chain.head

    def emit(self, event: AuditEvent, /) -> None:
        chain = self._chain
        if not chain.put(encoded(event), failure=self._failure):
            raise SinkFailed(f"the audit sink of {self._file.path} is closed")
        if self._thread is None:
            self._start_thread()
        if self._always or (chain.waiting_bytes > BATCH_BYTES and self._failure is None):
            self._write_out()
        elif not self._ordered:
            self._order_write()
        if self._failure is not None:
            raise SinkFailed(self._failure)

    def flush(self) -> None:
        """Everything emitted before is in the file, or `SinkFailed` says why it is not."""
        self._write_out()
        if self._failure is not None:
            raise SinkFailed(self._failure)

    def close(self) -> None:
        """Flushes, publishes the head and gives the file back; what could not be written by now is lost."""
        if self._closed:
            return
        self._closed = True
        self._chain.end()
        atexit.unregister(self._at_exit)
        _open_sinks.discard(self)
        self._finish()
        with self._writing:
            self._file.close()
        if self._failure is not None:
            raise SinkFailed(f"{self._failure}; events never written: {self._chain.unwritten}")

    def _write_out(self) -> None:
        with self._writing:
            if self._busy:  # a signal's handler came in between: what it emitted is written soon
                self._order_write()
                return
            self._busy = True
            try:
                while self._chain.write():
                    self._failure = None
                self._chain.delete_old_files(self._vouch)
            except OSError as error:
                self._failure = self._says(error)
                self._order_write()
            finally:
                self._busy = False
            self._heads.offer(self.head)

    def _vouch(self) -> None:
        self._heads.offer(self.head, at_once=True)

    def _order_write(self) -> None:
        if not self._ordered:
            self._ordered = True
            self._orders.put("write")

    def _says(self, error: OSError) -> str:
        return f"can't write the audit to {self._file.path}: {error.strerror or error}"

    def _start_thread(self) -> None:
        with self._starting:
            if self._thread is not None:
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
        while True:
            order = self._next_order(self._heads.seconds_left)
            if order == "write":
                order = self._gather()
                self._ordered = False
                self._write_out()
            elif order is None:
                with self._writing:
                    self._heads.offer(self.head)
            if order == "stop":
                return

    def _gather(self) -> _Order | None:
        """Waits out the interval, unless it is told to stop."""
        until = time.monotonic() + self._interval_s
        while (left := until - time.monotonic()) > 0:
            if self._next_order(left) == "stop":
                return "stop"
        return None

    def _next_order(self, timeout: float | None) -> _Order | None:
        try:
            return self._orders.get(timeout=timeout)
        except queue.Empty:
            return None

    def _finish(self) -> None:
        self._orders.put("stop")
        thread = self._thread
        if thread is not None and thread is not threading.current_thread() and thread.is_alive():
            thread.join(timeout=2.0)
        self._write_out()
        with self._writing:
            self._heads.offer(self.head, at_once=True)

    def _at_exit(self) -> None:
        """What comes later, from other exit handlers, is written at once."""
        if self._closed:
            return
        self._always = True
        self._finish()
        if self._failure is not None:
            _log.error("%s; events never written: %d", self._failure, self._chain.unwritten)

    def _after_fork(self) -> None:
        """What waits is the parent's to write; the child has a chain and a view of the file of its own."""
        self._file.close()
        self._begin()


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
