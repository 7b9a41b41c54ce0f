"""What a fault does to a call, whatever carries the call: a Python callable or a proxied request."""

from __future__ import annotations

from hashlib import blake2b
from http import HTTPStatus

import msgspec

from bylaw.faults.tool import Phase, ToolFault

_BROKEN_BODIES = (
    '{"status": "ok", "data": [{"id": 1, "value": ',
    '{"status": "ok", "data": {"items": [1, 2, 3}, "next": nul',
    '{"data": "\\u12, "count": 3,, }',
    '[{"id": 1, "name": "first"}, {"id": 2, "na',
    "{'data': None, 'error': undefined}",
)


class Consequence(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller meets instead of, or beside, the tool's answer.

    `raises` and `answers` replace the answer; with neither the caller gets the real one. `calls_through` says whether
    the tool really runs: after the delay in phase `before`, ahead of it in phase `after`.
    """

    delay_ms: int = 0
    raises: str | None = None
    answers: str | None = None
    calls_through: bool = False
    phase: Phase = "before"

    @property
    def loses_the_answer(self) -> bool:
        return self.raises is not None or self.answers is not None


def consequence(fault: ToolFault) -> Consequence:
    return Consequence(
        delay_ms=fault.delay,
        raises=_raised(fault),
        answers=_answered(fault),
        calls_through=fault.mode == "slow" or fault.phase == "after",
        phase=fault.phase,
    )


def _raised(fault: ToolFault) -> str | None:
    match fault.mode:
        case "timeout":
            return fault.message or f"timed out after {fault.delay} ms"
        case "error":
            said = f"{fault.error_code} {_phrase(fault.error_code)}".rstrip()
            return f"{said}: {fault.message}" if fault.message else said
        case _:
            return None


def _answered(fault: ToolFault) -> str | None:
    match fault.mode:
        case "malformed":
            number = blake2b(fault.id.encode(), digest_size=4).digest()
            return _BROKEN_BODIES[int.from_bytes(number, "big") % len(_BROKEN_BODIES)]
        case "malicious_response":
            return fault.payload
        case _:
            return None


def _phrase(code: int) -> str:
    try:
        return HTTPStatus(code).phrase
    except ValueError:
        return ""
