"""One writer's chain on its way into a file: what waits, what is written, what was lost."""

from __future__ import annotations

import logging
import os
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from bylaw.guard.audit.chain import Dropped, Gap, Head, Position, chained
from bylaw.guard.audit.log_file import LogFile
from bylaw.guard.audit.rotation import last_word_on, rotated_files

BATCH_BYTES = 256 * 1024
"""What is written at one go."""

MOST_WAITING_BYTES = 8 * 1024 * 1024
"""What is held back while the file can't be written. Later records are lost, and the chain says how many."""

_log = logging.getLogger(__name__)


class _Flight(NamedTuple):
    """A batch on its way to the file."""

    lines: bytes
    records: int
    before: Position
    after: Position


class ChainWriter:
    """Takes records at any time and from any thread; only one thread at a time may `write`.

    A signal's handler may run between any two calls, put a record of its own, or raise. So the list of what waits is
    never replaced, and the end of the chain moves together with it, with no call between.
    """

    def __init__(self, file: LogFile, *, keep: int | None = None) -> None:
        self.writer = f"{os.getpid()}-{secrets.token_hex(8)}"
        self.waiting_bytes = 0
        self._file = file
        self._keep = keep
        self._lock = threading.RLock()
        self._waiting: list[bytes] = []
        self._position = Position()
        self._flight: _Flight | None = None
        self._lost = 0
        self._lost_why = ""
        self._rotations_seen = file.rotations
        self._complained = False
        self._ended = False

    @property
    def head(self) -> Head | None:
        """The last record of this chain that is in the file."""
        position = self._position
        return Head(writer=self.writer, seq=position.seq - 1, hash=position.prev) if position.seq else None

    @property
    def unwritten(self) -> int:
        return len(self._waiting) + self._lost

    def put(self, record: bytes, *, failure: str | None) -> bool:
        """Takes a record, or counts it as lost if too much waits already; False if the chain has ended."""
        with self._lock:
            if self._ended:
                return False
            if self._lost or self.waiting_bytes + len(record) > MOST_WAITING_BYTES:
                self._lost += 1
                self._lost_why = failure or "more events than can be written"
            else:
                self._waiting.append(record)
                self.waiting_bytes += len(record)
            return True

    def end(self) -> None:
        """No record is taken any more; those that were can still be written."""
        with self._lock:
            self._ended = True

    def write(self) -> bool:
        """Writes one batch of what waits; False if nothing does. With an `OSError` everything still waits."""
        self._recover_flight()
        batch = self._next_batch()
        if not batch:
            return False
        lines, end = chained(self.writer, self._position, batch)
        self._flight = _Flight(lines, len(batch), self._position, end)
        try:
            self._file.append(lines)
        except OSError:
            self._flight = None
            raise
        self._land(self._flight)
        return True

    def _next_batch(self) -> list[bytes]:
        with self._lock:
            if not self._waiting and self._lost:
                lost, self._lost = self._lost, 0
                self._put_note(Gap(lost=lost, why=self._lost_why))
            if self.waiting_bytes <= BATCH_BYTES:
                return self._waiting[:]
            return self._waiting[: _count_in_batch(self._waiting)]

    def _put_note(self, note: Gap | Dropped) -> None:
        self._waiting.append(msgspec.json.encode({type(note).__name__.lower(): note}))

    def _land(self, flight: _Flight) -> None:
        with self._lock:
            records, after = flight.records, flight.after
            self._position = after
            del self._waiting[:records]
            self._flight = None
            self.waiting_bytes = sum(map(len, self._waiting))

    def _recover_flight(self) -> None:
        """An exception out of nowhere, as of Ctrl-C, may have hit a write: the file tells whether that landed."""
        flight = self._flight
        if flight is not None and self._file.holds(flight.lines):
            self._land(flight)
        self._flight = None

    def delete_old_files(self, vouch: Callable[[], None]) -> None:
        """Keeps to the number of files that may stay. The chain says what is deleted before it is.

        `vouch` publishes the chain's head, if anybody wants it, once it has said so: else nobody would have to
        believe it.
        """
        self._complain("can't rotate the audit file", self._file.rotation_failure)
        if self._keep is None or self._rotations_seen == self._file.rotations:
            return
        self._rotations_seen = self._file.rotations
        try:
            numbered = rotated_files(self._file.path)
            old = numbered[: max(0, len(numbered) - self._keep)]
            last_word = last_word_on(old)
        except FileNotFoundError:
            return  # another process was faster
        except OSError as error:
            self._complain("can't read the old audit files that are to be deleted", error)
            return
        if old:
            with self._lock:
                self._put_note(last_word)
            while self.write():
                pass
            vouch()
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


def _count_in_batch(waiting: list[bytes]) -> int:
    size = 0
    for count, record in enumerate(waiting):
        size += len(record)
        if size > BATCH_BYTES:
            return count or 1
    return len(waiting)
