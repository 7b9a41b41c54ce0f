"""A directory of the trial's own, with what the file puts into it, on this machine."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from bylaw.evidence import Need
from bylaw.plan import Trial, Unseen
from bylaw.sandbox.questions import ask_command, ask_file
from bylaw.sandbox.removal import remove
from bylaw.sandbox.setup import Copy, SetupFailed, copy_and_write, run_commands

PREFIX = "bylaw-"


class Workspace(msgspec.Struct, frozen=True, kw_only=True):
    """What every trial's sandbox starts as: copies, then files, then commands.

    `id_variables` are the variables that tell the agent its sandbox id. `timeout_s` bounds each setup command and
    each command a check asks for.
    """

    files: Mapping[str, str] = {}
    copies: tuple[Copy, ...] = ()
    commands: tuple[str, ...] = ()
    variables: Mapping[str, str] = {}
    id_variables: tuple[str, ...] = ()
    timeout_s: float = 600.0

    @asynccontextmanager
    async def enter(self, trial: Trial, /) -> AsyncIterator[Sandbox]:
        """A sandbox that is gone afterwards, whatever happens in it."""
        place = _fresh_place()
        try:
            sandbox = self._sandbox(place, trial)
            root = Path(sandbox.directory)
            await _to_the_end(lambda: copy_and_write(root, copies=self.copies, files=self.files))
            await run_commands(
                self.commands,
                directory=sandbox.directory,
                environment=sandbox.environment,
                timeout_s=self.timeout_s,
            )
            yield sandbox
        finally:
            await _to_the_end(lambda: remove(place))

    def _sandbox(self, place: Path, trial: Trial) -> Sandbox:
        """Home and temporary files lie beside the workspace, so that they are no change of it."""
        name = sandbox_id(trial)
        return Sandbox(
            id=name,
            directory=str(place / "work"),
            environment={
                "PATH": os.environ.get("PATH", os.defpath),
                "LANG": os.environ.get("LANG", "C.UTF-8"),
                "HOME": str(place / "home"),
                "TMPDIR": str(place / "tmp"),
                **self.variables,
                **trial.scenario.params,
                **dict.fromkeys(self.id_variables, name),
            },
            timeout_s=self.timeout_s,
        )


class Sandbox(msgspec.Struct, frozen=True, kw_only=True):
    """A workspace that is set up."""

    id: str
    directory: str
    environment: Mapping[str, str]
    timeout_s: float

    async def answer(self, need: Need, /) -> Any:
        """Of a `command` its end, of a `file` its content; every path and command is the workspace's own."""
        match need.kind:
            case "command":
                return await ask_command(
                    need["command"],
                    directory=self.directory,
                    environment=self.environment,
                    timeout_s=self.timeout_s,
                )
            case "file":
                return ask_file(Path(self.directory), need["path"])
            case _:
                raise Unseen(f"this sandbox can't answer `{need.kind}`")


def sandbox_id(trial: Trial) -> str:
    """The same for the same trial and seed, on every machine."""
    return "sb-" + hashlib.sha256(f"{trial.seed}\0{trial.id}".encode()).hexdigest()[:12]


def _fresh_place() -> Path:
    try:
        place = Path(os.path.realpath(tempfile.mkdtemp(prefix=PREFIX)))
        for name in ("work", "home", "tmp"):
            (place / name).mkdir()
    except OSError as error:
        raise SetupFailed(f"no workspace could be made: {(error.strerror or str(error)).lower()}") from error
    return place


async def _to_the_end(work: Callable[[], None]) -> None:
    """In a thread. A thread can't be cancelled, so a cancellation waits for it: nothing works on behind our back."""
    thread = asyncio.get_running_loop().run_in_executor(None, work)
    cancelled: asyncio.CancelledError | None = None
    while not thread.done():
        try:
            await asyncio.wait([thread])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled from thread.exception()
    thread.result()
