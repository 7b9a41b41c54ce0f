"""A file of lines that several processes append to, each batch of lines at one go."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from bylaw.guard.audit.rotation import next_rotated

PATIENCE_S = 1.0
"""How long to wait for a process that holds the file, which none does for longer than one write."""


class LogFile:
    """Appends whole lines. Whoever writes holds a lock, and that makes three things safe.

    A batch that did not fit on the disk is taken back. What a killed process left half written is closed with a
    newline before anything follows. And a full file is renamed, upon which every other process finds that its own is
    no longer at the path, and opens the new one.
    """

    def __init__(self, path: Path, *, rotate_bytes: int | None = None) -> None:
        self.path = path
        self.rotations = 0
        self.rotation_failure: OSError | None = None
        self._rotate_bytes = rotate_bytes
        self._fd: int | None = None
        self._end = -1
        self._last: tuple[int, bytes] | None = None

    def open(self) -> int:
        if self._fd is None:
            self._fd = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._end = -1
        return self._fd

    def close(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def append(self, lines: bytes) -> None:
        """All of the lines or, with an `OSError`, none of them."""
        try:
            fd, size = self._lock_for(len(lines))
            whole = size in (0, self._end) or os.pread(fd, 1, size - 1) == b"\n"
            start = size if whole else size + 1
            self._last = (start, lines)
            self._write(fd, lines if whole else b"\n" + lines, size)
            self._end = start + len(lines)
        finally:
            self._unlock()

    def holds(self, lines: bytes) -> bool:
        """Whether lines whose `append` was broken off by an exception, and nothing was appended since, are there."""
        if self._last is None or self._last[1] is not lines or self._fd is None:
            return False
        return os.pread(self._fd, len(lines), self._last[0]) == lines

    def _write(self, fd: int, data: bytes, size: int) -> None:
        try:
            written = os.write(fd, data)
            while written < len(data):  # the disk is full: going on tells why
                written += os.write(fd, data[written:])
        except OSError:
            self._take_back(fd, size)
            raise

    def _take_back(self, fd: int, size: int) -> None:
        self._end = -1
        with suppress(OSError):  # an append-only file keeps the half line; the next batch closes it with a newline
            os.ftruncate(fd, size)

    def _lock_for(self, room: int) -> tuple[int, int]:
        """The file that is at the path now, locked, and its size; rotated if it has no room left."""
        while True:
            fd = self.open()
            self._lock(fd)
            held = os.fstat(fd)
            if self._at_path(held) and not (self._full(held.st_size, room) and self._rotated()):
                return fd, held.st_size
            self._unlock()
            self.close()

    def _unlock(self) -> None:
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _lock(self, fd: int) -> None:
        deadline = time.monotonic() + PATIENCE_S
        pause = 0.0002
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise OSError(errno.EAGAIN, "another process keeps it locked") from None
                time.sleep(pause)
                pause = min(pause * 2, 0.01)

    def _at_path(self, held: os.stat_result) -> bool:
        try:
            return os.path.samestat(held, self.path.stat())
        except FileNotFoundError:
            return False

    def _full(self, size: int, room: int) -> bool:
        return self._rotate_bytes is not None and size > 0 and size + room > self._rotate_bytes

    def _rotated(self) -> bool:
        """A file that can't be renamed grows on: records come before sizes."""
        try:
            self.path.rename(next_rotated(self.path))
        except OSError as error:
            self.rotation_failure = error
            return False
        self.rotations += 1
        self.rotation_failure = None
        return True
