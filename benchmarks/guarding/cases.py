"""The policies and calls that both sides are measured on. Nothing but the standard library: the peer runs it too."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BASE = r"""
  - id: secrets-stay-unread
    type: pre
    tool: read_file
    when:
      args.path:
        contains_any: [".env", ".secret", "kubeconfig", "credentials", ".pem", "id_rsa"]
    then:
      effect: deny
      message: "'{args.path}' holds a secret; go on without it."
      tags: [secrets, files]

  - id: nothing-is-destroyed
    type: pre
    tool: bash
    when:
      any:
        - args.command: { matches: '\brm\s+(-rf?|--recursive)\b' }
        - args.command: { matches: '\bmkfs\b' }
        - args.command: { matches: '\bdd\s+' }
        - args.command: { contains: '> /dev/' }
    then:
      effect: deny
      message: "'{args.command}' destroys data; find a gentler way."
      tags: [destruction, shell]

  - id: seniors-deploy
    type: pre
    tool: deploy_service
    when:
      all:
        - environment: { equals: production }
        - principal.role: { not_in: [senior_engineer, sre, admin] }
    then:
      effect: deny
      message: "Only seniors deploy to production."
      tags: [deployment, roles]
"""
"""One rule with words to look for, one with patterns, one on who asks: the kinds that the reference shows."""

LIMITS = """
  - id: session-limits
    type: session
    limits: {max_tool_calls: 1000000000, max_attempts: 1000000000}
    then: {effect: deny, message: "Session limit reached."}
"""
HEAD = """apiVersion: callguard/v1
kind: ContractBundle
metadata: {name: benchmark}
defaults: {mode: enforce}
contracts:
"""
SENIOR = {"user_id": "kim", "role": "sre"}
JUNIOR = {"user_id": "sam", "role": "intern"}

Call = tuple[str, dict[str, Any], dict[str, str]]
ALLOWED: list[Call] = [
    ("read_file", {"path": "reports/2026/q3-summary.txt"}, SENIOR),
    ("bash", {"command": "ls -la reports/2026 | sort", "timeout": 30}, SENIOR),
    ("deploy_service", {"service": "billing", "version": "4.2.1"}, SENIOR),
]
DENIED: list[Call] = [
    ("read_file", {"path": "/srv/app/.env"}, JUNIOR),
    ("bash", {"command": "cd /tmp && rm -rf ./build", "timeout": 30}, JUNIOR),
    ("deploy_service", {"service": "billing", "version": "4.2.1"}, JUNIOR),
]
POLICIES = ("3", "1000-other", "1000-same")
"""Three rules; with 997 more for other tools; with 997 more for the same three tools. Fillers stand first."""

_FILLER = """
  - id: filler-{number}
    type: pre
    tool: {tool}
    when:
      args.{argument}: {condition}
    then: {{effect: deny, message: "Filler {number} denied."}}
"""
_KINDS = (
    ("read_file", "path", "{{contains: '/vault-{number}/'}}"),
    ("bash", "command", r"{{matches: '\bdrop-{number}\b'}}"),
    ("deploy_service", "service", "{{starts_with: 'legacy-{number}-'}}"),
)


def write_policies(folder: Path) -> None:
    texts = {
        "3": BASE,
        "3-limited": BASE + LIMITS,
        "1000-other": _fillers(same=False) + BASE,
        "1000-same": _fillers(same=True) + BASE,
    }
    for name, contracts in texts.items():
        policy(folder, name).write_text(HEAD + contracts, encoding="utf-8")


def policy(folder: Path, name: str) -> Path:
    return folder / f"{name}.yaml"


def _fillers(*, same: bool) -> str:
    parts = []
    for number in range(997):
        tool, argument, condition = _KINDS[number % len(_KINDS)]
        parts.append(
            _FILLER.format(
                number=number,
                tool=tool if same else f"{tool}_{number}",
                argument=argument,
                condition=condition.format(number=number),
            )
        )
    return "".join(parts)


def best(run: Callable[[int], None], *, calls: int, seconds: float = 0.004, rounds: int = 60) -> float:
    """Seconds for one call: the best of some rounds. `run(n)` goes n times through as many calls as are given.

    Rounds are so short that one of them is left alone by whatever else the machine does, and so long that starting
    one does not count. How many calls fill one is found out by the best of some, too: the first is the slowest.
    """
    times = 1
    while (took := min(_took(run, times) for _ in range(3))) < seconds / 2:
        times *= 2
    times = max(1, int(times * seconds / took))
    return min(_took(run, times) for _ in range(rounds)) / times / calls


def _took(run: Callable[[int], None], times: int) -> float:
    begun = time.perf_counter()
    run(times)
    return time.perf_counter() - begun
