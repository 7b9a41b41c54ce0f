"""Limits that no session ever reaches, because another one always comes first."""

from __future__ import annotations

from collections.abc import Iterable

from bylaw.formats.bundles.documents import Bundle, Session
from bylaw.reader import Problems


def lint_limits(bundle: Bundle, problems: Problems) -> None:
    sessions = [contract for contract in bundle.contracts if isinstance(contract, Session) and contract.enabled]
    enforced = [contract.limits for contract in sessions if (contract.mode or bundle.defaults.mode) == "enforce"]
    attempts = _smallest(limits.max_attempts for limits in enforced)
    calls = _smallest(limits.max_tool_calls for limits in enforced)
    for contract in sessions:
        limits = contract.limits
        if limits.max_attempts is not None and attempts is not None and limits.max_attempts > attempts:
            _never("max_attempts", limits.max_attempts, f"`max_attempts: {attempts}`", contract, problems)
        if limits.max_tool_calls is not None:
            ahead = _smallest((attempts, calls))
            if ahead is not None and limits.max_tool_calls > ahead:
                name = "max_attempts" if ahead == attempts else "max_tool_calls"
                _never("max_tool_calls", limits.max_tool_calls, f"`{name}: {ahead}`", contract, problems)
        for tool, most in limits.max_calls_per_tool.items():
            ahead = _smallest((attempts, calls))
            if ahead is not None and most > ahead:
                _never(f"max_calls_per_tool.{tool}", most, f"the limit of {ahead} on all tools", contract, problems)
                continue
            same = _smallest(limits.max_calls_per_tool.get(tool) for limits in enforced)
            if same is not None and most > same:
                first = f"`max_calls_per_tool.{tool}: {same}`"
                _never(f"max_calls_per_tool.{tool}", most, first, contract, problems)


def _smallest(limits: Iterable[int | None]) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _never(name: str, most: int, first: str, contract: Session, problems: Problems) -> None:
    problems.add(
        "limit-never-reached",
        f"`{name}: {most}` of `{contract.id}` is never reached: {first} comes first",
        contract.limits.where(name.partition(".")[0]),
        level="warning",
    )
