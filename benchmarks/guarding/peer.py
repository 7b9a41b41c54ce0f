"""The peer's side: `python -m benchmarks.guarding.peer FOLDER`, in an environment that has `callguard` 0.3.0."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.guarding.cases import ALLOWED, DENIED, POLICIES, best, policy, write_policies
from callguard import (  # type: ignore[import-not-found]  # it lives in an environment of its own
    CallGuard,
    CallGuardDenied,
    FileAuditSink,
    GovernancePipeline,
    OperationLimits,
    Principal,
    Session,
    create_envelope,
)

NO_LIMITS = OperationLimits(max_attempts=10**9, max_tool_calls=10**9)
"""It has limits by default; a benchmark would run into them."""

RUNNER = asyncio.Runner()
"""One event loop for all that is measured, so that starting one is not."""

Prepared = list[tuple[str, dict[str, Any], Any]]


class NoSink:
    async def emit(self, event: Any) -> None:
        pass


def tool(**_arguments: Any) -> str:
    return "done"


def prepared(calls: Any) -> Prepared:
    return [(name, args, Principal(**who)) for name, args, who in calls]


def load(folder: Path, name: str, sink: Any) -> Any:
    guard = CallGuard.from_yaml(policy(folder, name), audit_sink=sink)
    guard.limits = NO_LIMITS
    return guard


def deciding(guard: Any, calls: Prepared) -> Callable[[int], None]:
    """From Python values to a decision: the envelope, and what its pipeline does before a tool runs."""
    pipeline, session = GovernancePipeline(guard), Session("benchmark", guard.backend)

    async def loop(times: int) -> None:
        for _ in range(times):
            for name, args, who in calls:
                envelope = create_envelope(name, args, registry=guard.tool_registry, principal=who)
                await pipeline.pre_execute(envelope, session)

    return lambda times: RUNNER.run(loop(times))


def judging(guard: Any, calls: Prepared) -> Callable[[int], None]:
    """The least of it: the envelope, then each precondition up to the first that fails, and nothing around them."""

    def run(times: int) -> None:
        for _ in range(times):
            for name, args, who in calls:
                envelope = create_envelope(name, args, principal=who)
                for contract in guard.get_preconditions(envelope):
                    if not contract(envelope).passed:
                        break

    return run


def calling(guard: Any, calls: Prepared) -> Callable[[int], None]:
    async def loop(times: int) -> None:
        for _ in range(times):
            for name, args, who in calls:
                try:
                    await guard.run(name, args, tool, principal=who)
                except CallGuardDenied:
                    continue  # a denial is what is measured

    return lambda times: RUNNER.run(loop(times))


def loading(folder: Path) -> Callable[[int], None]:
    def run(times: int) -> None:
        for _ in range(times):
            load(folder, "1000-same", NoSink())

    return run


def main(folder: Path) -> None:
    allowed, denied = prepared(ALLOWED), prepared(DENIED)
    found: dict[str, float] = {}
    for name in POLICIES:
        guard = load(folder, name, NoSink())
        found[f"decide-allow/{name}"] = best(deciding(guard, allowed), calls=len(allowed))
        found[f"decide-deny/{name}"] = best(deciding(guard, denied), calls=len(denied))
        found[f"judge-allow/{name}"] = best(judging(guard, allowed), calls=len(allowed))
        found[f"judge-deny/{name}"] = best(judging(guard, denied), calls=len(denied))
    guard = load(folder, "3", NoSink())
    found["call-allow"] = best(calling(guard, allowed), calls=len(allowed))
    found["call-deny"] = best(calling(guard, denied), calls=len(denied))
    limited = load(folder, "3-limited", NoSink())
    found["call-limited"] = best(calling(limited, allowed), calls=len(allowed))
    with tempfile.TemporaryDirectory() as logs:
        audited = load(folder, "3", FileAuditSink(Path(logs) / "audit.jsonl"))
        found["call-audited"] = best(calling(audited, allowed), calls=len(allowed), seconds=0.02, rounds=20)
    found["load"] = best(loading(folder), calls=1, rounds=3)
    print(json.dumps(found))


if __name__ == "__main__":
    write_policies(Path(sys.argv[1]))
    with RUNNER:
        main(Path(sys.argv[1]))
