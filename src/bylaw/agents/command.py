"""An agent that is a program: the prompt goes in on stdin, the answer is what it prints."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from bylaw.evidence import Effect, Evidence
from bylaw.plan import Cost, Instance, Surroundings, Trial
from bylaw.process import CannotStart, Ended, excerpt, run_program, tail

SHOWN_OF_STDERR = 20_000
_OF_THE_CALLER = ("PATH", "LANG", "HOME", "TMPDIR")


class CommandAgent(msgspec.Struct, frozen=True, kw_only=True):
    """A command for `sh -c`, started anew for every trial.

    `prompt_variables` are the variables that hold the prompt as well; `directory` is where it runs when no
    surroundings say otherwise.
    """

    command: str
    timeout_s: float = 300.0
    prompt_variables: tuple[str, ...] = ()
    directory: str | None = None

    @property
    def slots(self) -> int | None:
        return None

    @property
    def cost(self) -> Cost:
        return Cost(agent_calls=1)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Instance]:
        """It is its own instance: nothing of it lives from one trial to the next."""
        yield self

    async def run(self, trial: Trial, surroundings: Surroundings | None, /) -> Evidence:
        if surroundings is None:
            directory = self.directory
            environment = {name: os.environ[name] for name in _OF_THE_CALLER if name in os.environ}
        else:
            directory = surroundings.directory or self.directory
            environment = dict(surroundings.environment)
        try:
            ended = await run_program(
                self.command,
                directory=directory,
                environment=environment | dict.fromkeys(self.prompt_variables, trial.prompt),
                stdin=trial.prompt.encode(errors="replace"),
                timeout_s=self.timeout_s,
            )
        except CannotStart as why:
            return Evidence(error=f"the command `{self.command}` could not be started: {why}")
        return Evidence(
            events=(Effect(kind="process", detail=self._detail(ended)),),
            output=excerpt(ended.stdout, dropped=ended.stdout_dropped, keep=len(ended.stdout)),
            failure=self._failure(ended),
            ms=ended.ms,
        )

    def _detail(self, ended: Ended) -> dict[str, object]:
        return {
            "command": self.command,
            "exit_code": ended.status,
            "ms": ended.ms,
            "stderr": excerpt(ended.stderr, dropped=ended.stderr_dropped, keep=SHOWN_OF_STDERR),
        }

    def _failure(self, ended: Ended) -> str | None:
        """An answer that is not whole is a failure too: nobody could judge the part that is missing."""
        sentences = []
        if trouble := ended.trouble(timeout_s=self.timeout_s):
            said = tail(ended.stderr)
            sentences.append(f"the command `{self.command}` {trouble}" + (f": {said}" if said else ""))
        if ended.stdout_dropped:
            sentences.append(f"its output is too long to be kept: {ended.stdout_dropped} bytes of it are missing")
        return "; ".join(sentences) or None
