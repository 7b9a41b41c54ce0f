"""What checks ask about a workspace: how a command ends in it, and what a file holds."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bylaw.plan import Unseen
from bylaw.process import CannotStart, excerpt, run_program
from bylaw.sandbox.paths import LeavesWorkspace, inside

SHOWN_OF_A_STREAM = 20_000
LARGEST_FILE = 5_000_000


async def ask_command(
    command: str, *, directory: str, environment: Mapping[str, str], timeout_s: float
) -> dict[str, Any]:
    """How it ended; one that was out of time is an answer too, with no exit code."""
    try:
        ended = await run_program(command, directory=directory, environment=environment, timeout_s=timeout_s)
    except CannotStart as why:
        raise Unseen(f"the command `{command}` could not be started: {why}") from why
    if ended.exit_code is None and not ended.timed_out:
        raise Unseen(f"the command `{command}` {ended.trouble(timeout_s=timeout_s)}")
    return {
        "exit_code": ended.status,
        "stdout": excerpt(ended.stdout, dropped=ended.stdout_dropped, keep=SHOWN_OF_A_STREAM),
        "stderr": excerpt(ended.stderr, dropped=ended.stderr_dropped, keep=SHOWN_OF_A_STREAM),
        "timed_out": ended.timed_out,
    }


def ask_file(root: Path, path: str) -> dict[str, Any]:
    """Whether it is there and what it is, with its whole text; a file too long to hold is not judged by half."""
    try:
        real = inside(root, path)
        kind, size = _look(real)
        if size > LARGEST_FILE:
            raise Unseen(f"`{path}` is too long to be judged: {size} bytes, at most {LARGEST_FILE} are read")
        text = real.read_bytes().decode(errors="replace") if kind == "file" else None
    except LeavesWorkspace as why:
        raise Unseen(str(why)) from why
    except OSError as error:
        raise Unseen(f"`{path}` can't be read: {(error.strerror or str(error)).lower()}") from error
    return {"exists": kind != "missing", "kind": kind, "text": text}


def _look(real: Path) -> tuple[str, int]:
    """What it is, and how long if it is a file."""
    try:
        found = real.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "missing", 0
    if stat.S_ISREG(found.st_mode):
        return "file", found.st_size
    if stat.S_ISDIR(found.st_mode):
        return "directory", 0
    return "other", 0
