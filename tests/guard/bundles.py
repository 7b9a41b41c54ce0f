"""Bundles in few words, and tools to call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from bylaw.guard.audit import AuditEvent, MemorySink
from bylaw.guard.decision import Outcome
from bylaw.guard.guard import Guard

Contract = dict[str, Any]
Call = Callable[..., Outcome]
"""`call(guard, tool, args, function, **about)`, blocking or awaiting."""


def bundle(*contracts: Contract, mode: str = "enforce", unmatched: str | None = None, **top: Any) -> str:
    """The text of a bundle; JSON is YAML."""
    defaults = {"mode": mode} | ({} if unmatched is None else {"unmatched": unmatched})
    return json.dumps(
        {
            "apiVersion": "callguard/v1",
            "kind": "ContractBundle",
            "metadata": {"name": "b"},
            "defaults": defaults,
            "contracts": list(contracts),
            **top,
        }
    )


def pre(name: str, when: Mapping[str, Any], *, then: Mapping[str, Any] | None = None, **more: Any) -> Contract:
    if "tools" not in more:
        more.setdefault("tool", "t")
    said = {"effect": "deny", "message": f"{name} says no", **(then or {})}
    return {"id": name, "type": "pre", "when": when, "then": said, **more}


def post(name: str, when: Mapping[str, Any], *, then: Mapping[str, Any] | None = None, **more: Any) -> Contract:
    return pre(name, when, then={"effect": "warn", "message": f"{name} warns", **(then or {})}, **more) | {
        "type": "post"
    }


def limit(name: str, *, then: Mapping[str, Any] | None = None, mode: str | None = None, **limits: Any) -> Contract:
    said = {"effect": "deny", "message": f"{name} is reached", **(then or {})}
    return {"id": name, "type": "session", "limits": limits, "then": said} | ({} if mode is None else {"mode": mode})


X = {"args.x": {"equals": 1}}
"""Holds for `x=1`."""

BROKEN = {"args.x": {"contains": "1"}}
"""Breaks on a number."""

ALWAYS = {"tool.name": {"exists": True}}


def echo(**args: Any) -> str:
    return "echo"


def guard_of(*contracts: Contract, mode: str = "enforce", **options: Any) -> Guard:
    return Guard.from_text(bundle(*contracts, mode=mode), **options)


def watched(*contracts: Contract, mode: str = "enforce", **options: Any) -> tuple[Guard, MemorySink]:
    """A guard and what it records."""
    sink = MemorySink()
    return guard_of(*contracts, mode=mode, audit_sink=sink, **options), sink


def actions(sink: MemorySink) -> list[str]:
    return [event.action.name for event in sink.events]


def last(sink: MemorySink) -> AuditEvent:
    return sink.events[-1]
