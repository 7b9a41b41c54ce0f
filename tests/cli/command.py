"""The installed `bylaw`, started in a directory, and files to start it on."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import textwrap
from pathlib import Path
from typing import Any

import msgspec

BYLAW = Path(sysconfig.get_path("scripts")) / "bylaw"
TOO_LONG_S = 60

BUNDLE = """
apiVersion: callguard/v1
kind: ContractBundle
metadata: { name: refunds }
defaults: { mode: enforce }
contracts:
  - id: cap
    type: pre
    tool: refund
    when: { args.amount: { gt: 500 } }
    then: { effect: deny, message: "{args.amount} is too much" }
    examples: { deny: [{ args: { amount: 501 } }], allow: [{ args: { amount: 500 } }] }
"""

BROKEN_BUNDLE = BUNDLE.replace("amount: 501", "amount: 499")

FIVE_MISTAKES = """
apiVersion: callguard/v1
kind: ContractBundle
metadata: { name: Refunds }
defaults: { mode: audit }
contracts:
  - id: cap
    type: pre
    tool: refund
    when: { args.amount: { greater: 500 } }
    then: { effect: deny, mesage: too much, message: too much }
  - id: words
    type: pre
    tool: refund
    when: { args.note: { matches: '(' } }
    then: { effect: deny, message: stop }
"""

NOT_REPRODUCIBLE = """
tool: refund
golden_cases: [{ id: gone, input_ref: gone.json }]
"""


def spec(command: str, *, check: str = "{ type: completes }", replicas: int = 1) -> str:
    return f"""
    id: spec
    task: {{ prompt: go }}
    agent: {{ type: cli, command: {msgspec.json.encode(command).decode()} }}
    invariants: {{ it: {{ description: it, check: {check} }} }}
    parallelism: {{ replicas: {replicas} }}
    """


class Done(msgspec.Struct, frozen=True, kw_only=True):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.out)


def write(directory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip())
    return directory


def environment(**variables: str) -> dict[str, str]:
    """A user's environment without what would colour or widen the output of this very test run."""
    loud = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    kept = {name: value for name, value in os.environ.items() if name not in loud}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **variables}


def bylaw(*arguments: str | Path, cwd: Path, **variables: str) -> Done:
    ended = subprocess.run(
        [BYLAW, *arguments],
        cwd=cwd,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=TOO_LONG_S,
        check=False,
    )
    return Done(code=ended.returncode, out=ended.stdout.decode(), err=ended.stderr.decode())
