"""Our side: `python -m benchmarks.guarding.ours FOLDER`. There is a floor, too, and what a session weighs."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.guarding.cases import ALLOWED, DENIED, POLICIES, best, policy, write_policies

from bylaw.evidence import ToolCall
from bylaw.guard.audit import FileSink
from bylaw.guard.decision import Denied, judged
from bylaw.guard.guard import Guard
from bylaw.guard.loading import load_bundles
from bylaw.guard.principal import Principal
from bylaw.guard.sessions import MemorySessions
from bylaw.guard.snapshot import snapshot
from bylaw.policy import Policy

SESSIONS = 5_000
RUNNER = asyncio.Runner()
"""One event loop for all that is measured, so that starting one is not."""

Prepared = list[tuple[str, dict[str, Any], Principal]]


def tool(**_arguments: Any) -> str:
    return "done"


def prepared(calls: Any) -> Prepared:
    return [(name, args, Principal(**who)) for name, args, who in calls]


def load(folder: Path, name: str) -> Guard:
    return Guard.from_yaml(policy(folder, name))


def deciding(policy: Policy, calls: Prepared) -> Callable[[int], None]:
    """From Python values to a decision: a snapshot of the arguments, the call, its findings, what they come to."""

    def run(times: int) -> None:
        for _ in range(times):
            for name, args, who in calls:
                call = ToolCall(tool=name, args=snapshot(args), principal=who.as_mapping())
                judged(policy, call)

    return run


_REMOVE, _FORMAT, _COPY = (
    re.compile(found).search for found in (r"\brm\s+(-rf?|--recursive)\b", r"\bmkfs\b", r"\bdd\s+")
)


def by_hand(tool: str, args: Mapping[str, Any], environment: str, role: str | None) -> str | None:
    """What somebody would write who has just these three rules: the floor."""
    if tool == "read_file":
        path = args["path"]
        for part in (".env", ".secret", "kubeconfig", "credentials", ".pem", "id_rsa"):
            if part in path:
                return f"'{path}' holds a secret; go on without it."
    elif tool == "bash":
        command = args["command"]
        if _REMOVE(command) or _FORMAT(command) or _COPY(command) or "> /dev/" in command:
            return f"'{command}' destroys data; find a gentler way."
    elif tool == "deploy_service" and environment == "production" and role not in ("senior_engineer", "sre", "admin"):
        return "Only seniors deploy to production."
    return None


def by_hand_many(calls: Prepared) -> Callable[[int], None]:
    def run(times: int) -> None:
        for _ in range(times):
            for name, args, who in calls:
                by_hand(name, args, "production", who.role)

    return run


def calling(guard: Guard, calls: Prepared) -> Callable[[int], None]:
    async def loop(times: int) -> None:
        for _ in range(times):
            for name, args, who in calls:
                try:
                    await guard.run(name, args, tool, principal=who)
                except Denied:
                    continue  # a denial is what is measured

    return lambda times: RUNNER.run(loop(times))


def calling_sync(guard: Guard, calls: Prepared) -> Callable[[int], None]:
    def run(times: int) -> None:
        for _ in range(times):
            for name, args, who in calls:
                guard.run_sync(name, args, tool, principal=who)

    return run


def calling_audited(guard: Guard, sink: FileSink, calls: Prepared) -> Callable[[int], None]:
    """Until everything is in the file, not just until it waits to be written."""
    call = calling(guard, calls)

    def run(times: int) -> None:
        call(times)
        sink.flush()

    return run


def loading(folder: Path) -> Callable[[int], None]:
    """Up to the first decision about each tool, so that nothing put off until then is left out."""

    def run(times: int) -> None:
        for _ in range(times):
            guard = load(folder, "1000-same")
            for name, args, who in prepared(ALLOWED):
                guard.evaluate(name, args, principal=who)

    return run


def session_bytes() -> float:
    """What one more session keeps in memory, its own name included, when it has had an attempt and a call."""
    names = [f"session-{number:032d}" for number in range(SESSIONS)]
    tracemalloc.start()
    sessions = MemorySessions()
    start = tracemalloc.get_traced_memory()[0]
    for name in names:
        sessions.take("".join(name), (("attempts", 100),))
        lease = sessions.reserve(name, (("calls", 100), ("calls:bash", 10))).lease
        assert lease is not None
        lease.keep()
    held = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    return held / SESSIONS + sys.getsizeof(names[0])


def main(folder: Path) -> None:
    allowed, denied = prepared(ALLOWED), prepared(DENIED)
    found: dict[str, float] = {
        "by-hand-allow": best(by_hand_many(allowed), calls=len(allowed)),
        "by-hand-deny": best(by_hand_many(denied), calls=len(denied)),
    }
    for name in POLICIES:
        decided = load_bundles([policy(folder, name)], mode=None).policy
        found[f"decide-allow/{name}"] = best(deciding(decided, allowed), calls=len(allowed))
        found[f"decide-deny/{name}"] = best(deciding(decided, denied), calls=len(denied))
    guard = load(folder, "3")
    found["call-allow"] = best(calling(guard, allowed), calls=len(allowed))
    found["call-allow-sync"] = best(calling_sync(guard, allowed), calls=len(allowed))
    found["call-deny"] = best(calling(guard, denied), calls=len(denied))
    found["call-limited"] = best(calling(load(folder, "3-limited"), allowed), calls=len(allowed))
    with tempfile.TemporaryDirectory() as logs:
        sink = FileSink(Path(logs) / "audit.jsonl")
        audited = Guard.from_yaml(policy(folder, "3"), audit_sink=sink)
        found["call-audited"] = best(
            calling_audited(audited, sink, allowed), calls=len(allowed), seconds=0.02, rounds=20
        )
        audited.close()
    found["load"] = best(loading(folder), calls=1, rounds=3)
    found["session-bytes"] = session_bytes()
    print(json.dumps(found))


if __name__ == "__main__":
    write_policies(Path(sys.argv[1]))
    with RUNNER:
        main(Path(sys.argv[1]))
