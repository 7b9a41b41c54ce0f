"""Python agents as text, run in real worker processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from bylaw.agents.python import PythonAgent
from bylaw.evidence import Evidence, Need
from bylaw.faults import ToolFault
from bylaw.plan import Fault, Scenario, Trial

Write = Callable[..., PythonAgent]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Surroundings that only say where the agent works and what it finds in its environment."""

    directory: str | None = None
    environment: Mapping[str, str] = {}

    async def answer(self, need: Need, /) -> Any:
        raise NotImplementedError


def run(
    agent: PythonAgent, *prompts: str, faults: tuple[Fault, ...] = (), seed: int = 0, place: Place | None = None
) -> list[Evidence]:
    """One instance, one prompt after the other."""

    async def all_of_them() -> list[Evidence]:
        async with agent.open() as instance:
            return [
                await instance.run(
                    Trial(id=prompt, subject=agent, prompt=prompt, scenario=Scenario(faults=faults), seed=seed), place
                )
                for prompt in prompts
            ]

    return asyncio.run(all_of_them())


def fault(mode: Any, *, id: str = "f", tool: str = "*", **fields: Any) -> ToolFault:  # noqa: A002 (the field of a fault is called so)
    return ToolFault(id=id, tool=tool, mode=mode, **fields)


def asked(evidence: Evidence) -> list[tuple[str, Mapping[str, Any]]]:
    return [(call.tool, call.args) for call in evidence.calls]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def written(path: Path) -> int:
    """The pid in the file, once it is there."""
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)
    return int(path.read_text())


def gone(pid: int) -> None:
    while is_running(pid):
        time.sleep(0.01)
