"""The lines of an audit log, as much of each as a comparison needs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from bylaw.errors import Misuse
from bylaw.guard.audit.events import AuditAction
from bylaw.guard.audit.lines import LONGEST, Line
from bylaw.guard.audit.reading import NotAnEvent, not_an_event


class Judged(msgspec.Struct, frozen=True, gc=False):
    """What a contract came to on a call when that was recorded."""

    id: str
    type: str
    passed: bool
    observed: bool = False
    policy_error: bool = False


class Record(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="schema_version", tag="1"):
    """An audit event. What is not looked at in every one stays as it was written until somebody asks."""

    timestamp: str
    action: AuditAction
    run_id: str
    call_id: str
    tool_name: str
    tool_args: msgspec.Raw
    environment: str
    policy_version: str
    session_id: str | None = None
    principal: msgspec.Raw = msgspec.Raw(b"null")
    decision_source: str | None = None
    decision_name: str | None = None
    contracts_evaluated: msgspec.Raw = msgspec.Raw(b"[]")
    contracts_omitted: int = 0
    result_summary: str | None = None
    policy_error: bool = False
    redacted: tuple[str, ...] = ()

    @property
    def session(self) -> str:
        return self.session_id or self.run_id

    def args(self) -> dict[str, Any]:
        return _args(self.tool_args)

    def judged(self) -> tuple[Judged, ...]:
        return _judged(self.contracts_evaluated)

    def observed(self) -> tuple[str, ...]:
        """The contracts that would have denied the call, had they been enforced."""
        if b'"observed"' not in bytes(self.contracts_evaluated):
            return ()
        found = [each for each in self.judged() if each.observed and not each.passed]
        return tuple(dict.fromkeys(each.id for each in found if each.type in ("pre", "session")))


_args = msgspec.json.Decoder(dict[str, Any]).decode
_judged = msgspec.json.Decoder(tuple[Judged, ...]).decode
_read = msgspec.json.Decoder(Record).decode


@lru_cache(maxsize=4096)
def principal_of(written: bytes) -> dict[str, Any] | None:
    """The same few come again and again."""
    return msgspec.json.decode(written, type=dict[str, Any] | None)


def records(path: Path) -> Iterator[tuple[int, Record | NotAnEvent]]:
    """Every line of a file with its number. Holds one line at a time, however long the file is."""
    try:
        with path.open("rb") as stream:
            number = 0
            while text := stream.readline(LONGEST):
                number += 1
                try:
                    yield number, _read(text)
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                    yield number, not_an_event(Line(str(path), number, text.removesuffix(b"\n")), str(error))
                    while len(text) == LONGEST and not text.endswith(b"\n"):
                        text = stream.readline(LONGEST)
    except OSError as error:
        raise Misuse(f"can't read {path}: {error.strerror}") from error
