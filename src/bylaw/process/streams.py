"""Our ends of a program's pipes, served by the running event loop and never waited for."""

from __future__ import annotations

import asyncio
import os
from typing import IO

_CHUNK = 256 * 1024
_MOST_A_PIPE_HOLDS = 1024 * 1024


class Drain:
    """Reads all that comes so that the program never stalls; keeps the first and the last half of `keep` bytes."""

    def __init__(self, pipe: IO[bytes], *, keep: int) -> None:
        self._pipe = pipe
        self._head = bytearray()
        self._tail = bytearray()
        self._head_room = keep // 2
        self._tail_room = keep - keep // 2
        self.dropped = 0
        os.set_blocking(pipe.fileno(), False)
        asyncio.get_running_loop().add_reader(pipe.fileno(), self._read)

    @property
    def kept(self) -> bytes:
        return bytes(self._head + self._tail)

    def close(self) -> None:
        """Takes what is still in the pipe; to be called when the writers are gone, whether or not all of them are."""
        taken = 0
        while not self._pipe.closed and taken < _MOST_A_PIPE_HOLDS:
            got = self._read()
            if not got:
                break
            taken += got
        self._shut()

    def _read(self) -> int:
        try:
            data = os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return 0
        if data:
            self._keep(data)
        else:
            self._shut()
        return len(data)

    def _keep(self, data: bytes) -> None:
        room = self._head_room - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        over = len(self._tail) - self._tail_room
        if over > 0:
            del self._tail[:over]
            self.dropped += over

    def _shut(self) -> None:
        if not self._pipe.closed:
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())
            self._pipe.close()


class Feed:
    """Writes all of `data` and closes; a program that reads only some of it, or nothing, is no error."""

    def __init__(self, pipe: IO[bytes], data: bytes) -> None:
        self._pipe = pipe
        self._left = memoryview(data)
        os.set_blocking(pipe.fileno(), False)
        asyncio.get_running_loop().add_writer(pipe.fileno(), self._write)

    def close(self) -> None:
        if not self._pipe.closed:
            asyncio.get_running_loop().remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _write(self) -> None:
        if self._left:
            try:
                written = os.write(self._pipe.fileno(), self._left[:_CHUNK])
            except BlockingIOError:
                return
            except BrokenPipeError:
                self.close()
                return
            self._left = self._left[written:]
        if not self._left:
            self.close()
