"""The ways a case is walked: files on disk, a run in this process, a run of the installed command."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from bylaw import harness
from bylaw.agents.recorded import Recorded
from bylaw.evidence import Evidence
from bylaw.formats import Loaded, load_paths
from bylaw.formats.bundles import read_policy
from bylaw.journal import Event, JournalWriter, Listener
from bylaw.plan import CALM, Plan
from bylaw.policy import Policy
from bylaw.reader import Problems, load

from .cases import SUITE, Copied, Files
from .results import Result, from_events

COMMAND = Path(sysconfig.get_path("scripts")) / "bylaw"


def write(files: Files | Mapping[str, Any], directory: Path) -> None:
    """Text as it is, shared files copied, and any other data as JSON, which is YAML without doubt."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case Copied(copy=shared):
                path.write_bytes((SUITE / shared).read_bytes())
            case str():
                path.write_text(content)
            case _:
                path.write_bytes(msgspec.json.encode(content))


def run_plan(plan: Plan, *, journal: Path | None = None, seed: int = 0) -> Result:
    heard: list[Event] = []
    listen: list[Listener] = [heard.append]
    with ExitStack() as stack:
        if journal is not None:
            writer = JournalWriter(journal)
            stack.callback(writer.close)
            listen.append(writer)
        harness.run(plan, jobs=2, listen=listen, seed=seed)
    return from_events(heard)


def loaded(path: Path) -> Loaded:
    found = load_paths([path])
    assert found.valid, "\n".join(str(diagnostic) for diagnostic in found.diagnostics)
    return found


def judged_on(evidence: Evidence, plan: Plan) -> Plan:
    """The same plan with every trial's agent and world replaced by what a case says they left behind."""
    subject = Recorded(evidence=evidence)
    trials = [msgspec.structs.replace(trial, subject=subject, scenario=CALM) for trial in plan.trials]
    return msgspec.structs.replace(plan, trials=trials)


def bundle_of(
    contracts: Sequence[Mapping[str, Any]], *, mode: str = "enforce", unmatched: str = "allow"
) -> dict[str, Any]:
    return {
        "apiVersion": "callguard/v1",
        "kind": "ContractBundle",
        "metadata": {"name": "case"},
        "defaults": {"mode": mode, "unmatched": unmatched},
        "contracts": contracts,
    }


def policy_in(path: Path) -> Policy:
    problems = Problems()
    source = load(path, problems=problems)
    policy = None if source is None else read_policy(source, problems)
    assert policy is not None, "\n".join(str(found) for found in problems.all)
    return policy


def command(*arguments: str, directory: Path) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([COMMAND, *arguments], cwd=directory, env=environment, capture_output=True, timeout=120)


def paths(names: Sequence[str]) -> list[Path]:
    return [Path(name) for name in names]
