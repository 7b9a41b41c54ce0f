"""Observations in one line, what a draft says of them, and a pack judged as any other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bylaw import harness
from bylaw.formats.loading import load_paths
from bylaw.observe import Draft, Observation, infer, observed, promote
from bylaw.reader import Problems, parse, plain
from bylaw.verdict import Verdict


def call(tool: str, arguments: Any = None) -> dict[str, Any]:
    return {"name": tool, "arguments": {} if arguments is None else arguments}


def seen(
    *calls: dict[str, Any], text: str | None = None, tools: Sequence[Any] = (), name: str = "case"
) -> Observation:
    """An answer with these calls, to a request that offered these tools."""
    request = {"model": "m", "messages": [{"role": "user", "content": "go"}], "tools": list(tools)}
    answer = {"content": text, "tool_calls": list(calls)}
    return observed(name=name, request=request, answer=answer)


def tool(name: str, root: dict[str, Any] | None = None, /, **properties: Any) -> dict[str, Any]:
    """A tool with these parameters; `root` has what else its schema says."""
    return {"name": name, "parameters": {"type": "object", "properties": properties, **(root or {})}}


def invariants(*observations: Observation, of: int = 0) -> dict[str, dict[str, Any]]:
    """What is asked of the arguments of one call, by path."""
    found = infer(observations).calls[of].invariants
    return {one["path"]: {key: value for key, value in one.items() if key != "path"} for one in found}


def of_arguments(*arguments: dict[str, Any], **properties: Any) -> dict[str, dict[str, Any]]:
    """What is asked of the arguments of one tool after it was seen with each of these."""
    tools = [tool("t", **properties)] if properties else []
    return invariants(*(seen(call("t", given), tools=tools) for given in arguments))


def reviewed(*observations: Observation) -> list[str]:
    return list(infer(observations).review)


def data_of(text: str) -> Any:
    problems = Problems()
    root = parse(text, file="contract.yaml", problems=problems)
    assert root is not None
    assert not problems.all
    return plain(root)


def judged(root: Path) -> Verdict:
    loaded = load_paths([root])
    assert loaded.diagnostics == ()
    assert loaded.files
    return harness.run(loaded.plan, jobs=1, listen=())


def promote_all(root: Path) -> None:
    for path in (root / "contracts").glob("*.yaml"):
        path.write_bytes(promote(path.read_bytes().decode(), file=str(path)).encode())


def asked(draft: Draft) -> tuple[Any, ...]:
    return draft.calls, draft.output
