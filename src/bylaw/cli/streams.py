"""Stdout and stderr of a command: what can't be written is one clear sentence, and never a wrong exit code."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, TextIO

from bylaw.errors import Misuse

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class NotWritten(Misuse):
    """What was asked for could not be written."""


class Stdout(io.FileIO):
    """A command goes on when nobody reads it any more: what it decides is still its exit code."""

    def __init__(self) -> None:
        super().__init__(1, "w", closefd=False)
        self.used = False
        self.nobody_reads = False
        self._lost = False

    def write(self, content: ReadableBuffer, /) -> int:
        self.used = True
        size = memoryview(content).nbytes
        if self._lost:
            return size
        try:
            return super().write(content)
        except BrokenPipeError:
            self._lost = self.nobody_reads = True
            return size
        except OSError as error:
            self._lost = True
            raise NotWritten(f"can't write to stdout: {error.strerror}") from error


class Stderr(io.FileIO):
    """Where it can't be written there is nobody left to tell."""

    def __init__(self) -> None:
        super().__init__(2, "w", closefd=False)

    def write(self, content: ReadableBuffer, /) -> int:
        try:
            return super().write(content)
        except OSError:
            return memoryview(content).nbytes


def take_over() -> Stdout:
    """Puts ours in the place of Python's streams. Raises where stdout was closed before the command began."""
    if sys.stderr is not None:
        sys.stderr = _over(Stderr(), like=sys.stderr)
    if sys.stdout is None:
        raise NotWritten("can't write to stdout: it is closed")
    out = Stdout()
    sys.stdout = _over(out, like=sys.stdout)
    return out


def _over(raw: io.FileIO, *, like: TextIO) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=like.encoding, errors=like.errors, line_buffering=bool(like.line_buffering)
    )
