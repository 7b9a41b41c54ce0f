"""A pack of one contract, and providers to judge it on: recorded in their own shapes, or scripted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from bylaw.testing import ScriptedModel

from .command import Done, bylaw, write

PACK = "packs/orders"
CONTRACT = """
tool: issue_refund
expected_tool_calls:
  - name: issue_refund
    argument_invariants:
      - { path: $.order_id, type: string, regex: '^A-' }
      - { path: $.amount, type: number, lte: 100 }
golden_cases:
  - { id: asks, input_ref: refund.success.json }
"""
REQUEST: dict[str, Any] = {
    "model": "small",
    "messages": [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "a refund for A-17, please"},
    ],
    "tools": [
        {
            "name": "issue_refund",
            "description": "Gives money back.",
            "parameters": {
                "type": "object",
                "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
                "required": ["order_id", "amount"],
            },
        }
    ],
}
RIGHT = {"order_id": "A-17", "amount": 20}
PROVIDERS = ("openai", "openai-responses", "anthropic", "gemini", "compatible")


def asked(name: str = "issue_refund", **arguments: Any) -> dict[str, Any]:
    """A call as a script and the normal form write it."""
    return {"name": name, "arguments": arguments or RIGHT}


def answer(*calls: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """An entry of a script, there for as many requests as come."""
    return {"tool_calls": list(calls), "times": "forever", **more}


def golden(response: Any = None, **more: Any) -> str:
    case = {"request": REQUEST, **more}
    return msgspec.json.encode(case if response is None else {**case, "response": response}).decode()


def pack(directory: Path, *, contract: str = CONTRACT, response: Any = None, **files: str) -> Path:
    """The pack in a directory; `files` by their path in it, which may replace what it has."""
    given = {"contracts/refund.yaml": contract, "golden/refund.success.json": golden(response), **files}
    return write(directory / PACK, given)


def recorded(*calls: Mapping[str, Any], text: str | None = None) -> dict[str, Any]:
    return {"content": text, "tool_calls": list(calls)}


def run(directory: Path, *options: str, **variables: str) -> Done:
    return bylaw("pack", "run", PACK, *options, cwd=directory, **variables)


def scripted(directory: Path, answers: list[dict[str, Any]], *arguments: str) -> tuple[Done, ScriptedModel]:
    """The command beside a model that answers by a script, which can be looked at afterwards."""
    with ScriptedModel.from_answers(*answers) as model:
        done = bylaw("pack", *arguments, cwd=directory, **model.environment)
    assert "Traceback" not in done.err
    return done, model


def ask(directory: Path, answers: list[dict[str, Any]], *options: str, provider: str = "openai") -> Done:
    return scripted(directory, answers, "run", PACK, "--provider", provider, "--json", *options)[0]


def findings(done: Done) -> dict[str, tuple[str, str, str]]:
    """Of a report as JSON: what each check of each case came to, by `case/check`."""
    return {
        cell["id"].partition("#")[2]: (found["outcome"], found["code"], found["reason"])
        for contract in done.json["groups"]
        for case in contract["groups"]
        for cell in case["cells"]
        for found in cell["findings"]
    }


def words(done: Done) -> dict[str, str]:
    """Of a report as JSON: the verdict on each case."""
    return {case["title"]: case["verdict"]["word"] for contract in done.json["groups"] for case in contract["groups"]}
