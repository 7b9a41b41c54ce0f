"""What it costs to ask another policy about a million recorded events.

    python benchmarks/backtest.py            100,000 events and a million, to show that memory does not grow with them
    python benchmarks/backtest.py --profile  where the time of 100,000 goes

The log is written by a real guard through its file sink: two events for a call that ran, one for a call that was
denied, 10,000 sessions, one call in twenty with a redacted argument. Every measurement is in a process of its own.
"""

from __future__ import annotations

import cProfile
import pstats
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bylaw.guard.audit import FileSink
from bylaw.guard.backtests import backtest
from bylaw.guard.decision import Denied
from bylaw.guard.guard import Guard
from bylaw.guard.loading import load_bundles
from bylaw.guard.sessions import MemorySessions
from bylaw.policy import Policy

SIZES = (100_000, 1_000_000)
SESSIONS = 10_000

BUNDLE = r"""
apiVersion: callguard/v1
kind: ContractBundle
metadata: { name: backtest }
defaults: { mode: enforce }
contracts:
  - id: no-secrets
    type: pre
    tool: read_file
    when: { args.path: { contains_any: [.env, .pem, id_rsa, credentials] } }
    then: { effect: deny, message: "'{args.path}' is not for you" }
  - id: no-rm
    type: pre
    tool: bash
    when:
      any:
        - args.command: { matches: '\brm\s+(-rf?|--recursive)\b' }
        - args.command: { matches: '\bmkfs\b' }
    then: { effect: deny, message: "no: {args.command}" }
  - id: seniors-deploy
    type: pre
    tool: deploy
    when: { all: [{ environment: { equals: production } }, { principal.role: { not_in: [sre, admin] } }] }
    then: { effect: deny, message: ask an sre }
  - id: pii
    type: post
    tool: "*"
    when: { output.text: { matches: '\b\d{3}-\d{2}-\d{4}\b' } }
    then: { effect: warn, message: a number that looks like a person's }
  - id: limits
    type: session
    limits: { max_tool_calls: 1000, max_attempts: 2000, max_calls_per_tool: { deploy: 50 } }
    then: { effect: deny, message: enough for one session }
"""
CHANGED = BUNDLE.replace("(-rf?|", "(-r|").replace("[sre, admin]", "[admin]").replace(": 1000", ": 50")
FILLERS = "".join(
    rf"""
  - id: filler-{number}
    type: pre
    tool: bash
    when: {{ args.command: {{ matches: '\bprogram{number}\s+--force\b' }} }}
    then: {{ effect: deny, message: not program {number} }}
"""
    for number in range(100)
)
CASES = {
    "5 contracts, against the record": (CHANGED, None),
    "5 contracts, against 5 others": (CHANGED, BUNDLE),
    "105 contracts, against the record": (CHANGED + FILLERS, None),
}


def calls(count: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    number = 0
    while True:
        number += 1
        chance = count.random()
        if chance < 0.5:
            yield "read_file", {"path": f"/srv/app/data/{number}.txt"}
        elif chance < 0.9:
            yield "bash", {"command": f"ls -la /srv/{number} && echo done", "timeout": 30}
        elif chance < 0.95:
            yield "bash", {"command": f"rm -rf /srv/{number}"}
        else:
            yield "deploy", {"service": f"service-{number % 50}", "token": "not for the log"}


def write_log(path: Path, events: int) -> None:
    sink = FileSink(path)
    guard = Guard.from_text(BUNDLE, audit_sink=sink, backend=MemorySessions(capacity=SESSIONS))
    principal = {"user_id": "u1", "role": "sre"}
    written = 0
    for number, (tool, args) in enumerate(calls(random.Random(1))):
        session = f"session-{number % SESSIONS}"
        try:
            guard.run_sync(
                tool, args, lambda **_: "some 30 characters of an answer", session_id=session, principal=principal
            )
            written += 2
        except Denied:
            written += 1
        if written >= events:
            break
    guard.close()


def policy(text: str) -> Policy:
    return load_bundles([text], mode=None).policy


def peak_memory() -> float:
    """The most this process has held so far, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 / 1024 if sys.platform == "darwin" else peak / 1024


def measure(log: Path, case: str) -> None:
    new, old = CASES[case]
    policies = policy(new), None if old is None else policy(old)
    start, cpu = time.perf_counter(), time.process_time()
    found = backtest([log], new=policies[0], old=policies[1])
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    said = f"{found.totals['loosened']:,} loosened, {found.totals['tightened']:,} tightened"
    print(f"  {case:<34} {wall:5.1f} s, {cpu:5.1f} s of processor, peak {peak_memory():4.0f} MB   {said}")


def main(arguments: list[str]) -> None:
    if len(arguments) == 2:
        measure(Path(arguments[0]), arguments[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES[:1] if arguments == ["--profile"] else SIZES:
            log = Path(folder) / f"{size}.jsonl"
            start = time.perf_counter()
            write_log(log, size)
            took = time.perf_counter() - start
            print(
                f"{size:,} events, {log.stat().st_size / 1024 / 1024:.0f} MB, written by a guard in {took:.1f} s",
                flush=True,
            )
            if arguments == ["--profile"]:
                profile(log)
                continue
            for case in CASES:
                subprocess.run([sys.executable, __file__, str(log), case], check=True)


def profile(log: Path) -> None:
    with cProfile.Profile() as profiler:
        backtest([log], new=policy(CHANGED))
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main(sys.argv[1:])
