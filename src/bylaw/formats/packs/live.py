"""Answers asked of a provider now."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from bylaw.agents.recorded import Recorded
from bylaw.evidence import Evidence
from bylaw.formats.packs.answers import Answering
from bylaw.formats.packs.boundary import boundary_of
from bylaw.formats.packs.documents import ContractFile, GoldenCase
from bylaw.formats.packs.json_files import Unusable, read_json_object
from bylaw.formats.packs.roots import PackRoot
from bylaw.models import Line, ModelSubject, Patience

KEY_VARIABLES = ("REPLAYCI_PROVIDER_KEY",)


class FromProvider(msgspec.Struct, frozen=True, kw_only=True):
    """Every case asked over one line. `timeout_ms` and `most_attempts` bound the patience that contracts have.

    With `capture` answers are kept as recordings, without secrets, and the golden file says to which request.
    """

    line: Line
    timeout_ms: int | None = None
    most_attempts: int | None = None
    capture: bool = False

    @property
    def provider(self) -> str:
        return self.line.model.provider

    def to(self, case: GoldenCase, contract: ContractFile, pack: PackRoot, /) -> Answering:
        try:
            golden = read_json_object(pack.golden(case.input_ref))
        except Unusable as error:
            return _nothing_to_ask(str(error))
        request = golden.get("request")
        if not isinstance(request, Mapping):
            return _nothing_to_ask(f"`{pack.golden(case.input_ref)}` has no `request` to ask")
        asked = dict(request)
        if self.line.model.model:
            asked["model"] = self.line.model.model
        capture = _Capture(pack=pack, input_ref=case.input_ref, request=asked) if self.capture else None
        return Answering(
            subject=ModelSubject(line=self.line, request=asked, patience=self._patience(contract), capture=capture)
        )

    def _patience(self, contract: ContractFile) -> Patience:
        found = Patience()
        if contract.timeouts is not None:
            found = msgspec.structs.replace(found, total_ms=contract.timeouts.total_ms)
        if (retries := contract.retries) is not None:
            retry_on = found.retry_on if retries.retry_on is None else retries.retry_on
            found = msgspec.structs.replace(found, max_attempts=retries.max_attempts, retry_on=retry_on)
        if contract.rate_limits is not None and (on_429 := contract.rate_limits.on_429) is not None:
            found = msgspec.structs.replace(
                found, respect_retry_after=on_429.respect_retry_after, max_sleep_s=on_429.max_sleep_seconds
            )
        return msgspec.structs.replace(
            found,
            total_ms=min(found.total_ms, self.timeout_ms or found.total_ms),
            max_attempts=min(found.max_attempts, self.most_attempts or found.max_attempts),
        )


def _nothing_to_ask(why: str) -> Answering:
    return Answering(subject=Recorded(evidence=Evidence(error=why, error_code="request_not_found")))


class _Capture(msgspec.Struct, frozen=True, kw_only=True):
    """Keeps one answer as the recording of its case."""

    pack: PackRoot
    input_ref: str
    request: Mapping[str, Any]

    def __call__(self, raw: dict[str, Any]) -> None:
        _write(self.pack.recording(self.input_ref), raw)
        golden = self.pack.golden(self.input_ref)
        case = read_json_object(golden)
        boundary = boundary_of(self.request)
        if case.get("boundary") != boundary or case.get("request") != self.request:
            _write(golden, {**case, "boundary": boundary, "request": self.request})


def _write(path: Path, data: Any) -> None:
    """Whole or not at all: a recording cut off would be worse than none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(data), indent=2) + b"\n")
    unfinished.replace(path)
