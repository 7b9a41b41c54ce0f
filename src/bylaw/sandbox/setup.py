"""Making a workspace what the file says it is, before the agent sees it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from bylaw.errors import BylawError
from bylaw.process import CannotStart, run_program, tail
from bylaw.sandbox.paths import LeavesWorkspace, inside


class SetupFailed(BylawError):
    """The agent has nowhere to run; the message names the step."""


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """A directory whose content goes into the workspace, symbolic links as they are."""

    source: str
    target: str = "."


def copy_and_write(root: Path, *, copies: Iterable[Copy], files: Mapping[str, str]) -> None:
    for copy in copies:
        if Path(os.path.realpath(copy.source)) in root.parents:
            raise SetupFailed(f"`{copy.source}` can't be copied: sandboxes are made in it, under `{root.parents[1]}`")
        try:
            shutil.copytree(copy.source, inside(root, copy.target), symlinks=True, dirs_exist_ok=True)
        except (OSError, LeavesWorkspace) as error:
            raise SetupFailed(f"`{copy.source}` could not be copied to `{copy.target}`: {_why(error)}") from error
    for path, text in files.items():
        try:
            target = inside(root, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        except (OSError, UnicodeEncodeError, LeavesWorkspace) as error:
            raise SetupFailed(f"the file `{path}` could not be written: {_why(error)}") from error


async def run_commands(
    commands: Iterable[str], *, directory: str, environment: Mapping[str, str], timeout_s: float
) -> None:
    """One after another; what a command leaves running is ended with it."""
    for command in commands:
        try:
            ended = await run_program(command, directory=directory, environment=environment, timeout_s=timeout_s)
        except CannotStart as why:
            raise SetupFailed(f"the setup command `{command}` could not be started: {why}") from why
        trouble = ended.trouble(timeout_s=timeout_s)
        if trouble:
            said = tail(ended.stderr) or tail(ended.stdout)
            raise SetupFailed(f"the setup command `{command}` {trouble}" + (f": {said}" if said else ""))


def _why(error: Exception) -> str:
    """The first thing a failed copy has to say; it gathers one entry per file."""
    if isinstance(error, shutil.Error):
        _source, _target, first = error.args[0][0]
        more = len(error.args[0]) - 1
        return f"{first}" + (f" (and {more} more like it)" if more else "")
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return str(error)
