"""A draft as the text of a contract, and its cases as golden files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from bylaw.formats.packs.boundary import boundary_of
from bylaw.observe.inferring import Draft
from bylaw.observe.observation import Observation, json_data
from bylaw.reader.writing import write
from bylaw.wire import CODECS, Request

MARK = "# bylaw: "
"""Begins the comments that are written here, so that they can be told from anybody else's."""

STATUS = "observed"
GENERATED = ("tool", "status", "expect_tools", "tool_order", "expected_tool_calls", "assertions", "golden_cases")
"""What a draft says, in the order it says it."""


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """A case as a contract names it: `ref` is its file below the golden ones."""

    id: str
    ref: str


def contract_text(draft: Draft, cases: Sequence[CaseFile]) -> str:
    return "".join(f"{line}\n" for line in heading(draft)) + write(contract_data(draft, cases))


def heading(draft: Draft) -> list[str]:
    """The comments a draft begins with: that nobody wrote it, that it does not bind, and what to look at."""
    answers = "1 answer" if draft.seen == 1 else f"{draft.seen} answers"
    return [
        f"{MARK}generated from {answers} by `bylaw pack observe`",
        f"{MARK}a draft: judged and shown, never blocking; review it, then `bylaw pack promote` it",
        *(f"{MARK}review: {said}" for said in draft.review),
    ]


def contract_data(draft: Draft, cases: Iterable[CaseFile]) -> dict[str, Any]:
    """What the contract says, as plain data in the order of the file."""
    found: dict[str, Any] = {"tool": draft.tool, "status": STATUS}
    if len(draft.calls) > 1:
        found["expect_tools"] = [call.name for call in draft.calls]
        found["tool_order"] = "any"
    if draft.calls:
        found["expected_tool_calls"] = [
            {"name": call.name} | ({"argument_invariants": _plain(call.invariants)} if call.invariants else {})
            for call in draft.calls
        ]
    if draft.output:
        found["assertions"] = {"output_invariants": _plain(draft.output)}
    found["golden_cases"] = [{"id": case.id, "input_ref": case.ref, "expect_ok": True} for case in cases]
    return found


def _plain(invariants: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(invariant) for invariant in invariants]


def golden_case(observation: Observation) -> bytes:
    """The request and the answer in normal form, and hashes that tell when the request is another one."""
    case: dict[str, Any] = {}
    if observation.request != Request():
        request = json_data(CODECS["normal"].request(observation.request))
        case = {"boundary": boundary_of(request), "request": request}
    return pretty(case | {"response": CODECS["normal"].encode(observation.response)})


def pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
