"""What a case left behind when it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.evidence import Evidence, ModelCall, ModelFailure
from bylaw.formats.packs.boundary import disagreement, variance
from bylaw.formats.packs.json_files import Unusable, read_json_object, read_raw
from bylaw.formats.packs.roots import PackRoot
from bylaw.wire import NotAResponse, ProviderFailed, decode, parsed, tool_calls


class RecordedCase(msgspec.Struct, frozen=True, kw_only=True):
    """`stale` says what of the request is no longer as it was when the answer was recorded."""

    evidence: Evidence
    stale: tuple[str, ...] = ()


def recorded_case(pack: PackRoot, input_ref: str, *, judge_stale: bool = False) -> RecordedCase:
    """A recording where there is one, else the response in the golden file; or why there is neither."""
    golden, recording = pack.golden(input_ref), pack.recording(input_ref)
    is_recorded = recording.is_file()
    try:
        case = read_json_object(golden) if golden.is_file() else {}
        raw = parsed(read_raw(recording)) if is_recorded else case.get("response")
    except (Unusable, NotAResponse) as error:
        return _unjudged("recording_unreadable", _named(error, input_ref))
    if raw is None and not is_recorded:
        said = f"there is no recording at `{recording}` and no response in `{golden}`"
        return _unjudged("recording_not_found", said)
    request = case.get("request")
    request = request if isinstance(request, Mapping) else {}
    stale = _stale(case, request, raw)
    if stale and not judge_stale:
        verb = "differs" if len(stale) == 1 else "differ"
        said = f"the request is no longer the one that was recorded: {' and '.join(stale)} {verb}"
        return RecordedCase(evidence=Evidence(error=said, error_code="context_variance"), stale=stale)
    return RecordedCase(evidence=_evidence(request, raw, input_ref), stale=stale)


def _evidence(request: Mapping[str, Any], raw: Any, input_ref: str) -> Evidence:
    try:
        return evidence_of(request, raw)
    except NotAResponse as error:
        return Evidence(error=_named(error, input_ref), error_code="recording_unreadable")


def evidence_of(request: Mapping[str, Any], raw: Any, *, provider: str | None = None) -> Evidence:
    """What an answer leaves behind; an error that a provider answered with is a failure of the model."""
    try:
        response = decode(raw, provider=provider)
    except ProviderFailed as error:
        failure = ModelFailure(kind=error.failure.kind, message=str(error))
        return Evidence(events=(ModelCall(request=request, failure=failure),))
    call = ModelCall(request=request, response=msgspec.to_builtins(response))
    return Evidence(events=(call, *tool_calls(response)), output=response.content)


def _stale(case: Mapping[str, Any], request: Mapping[str, Any], raw: Any) -> tuple[str, ...]:
    boundary = case.get("boundary")
    if not isinstance(boundary, Mapping):
        return ()
    found = variance(boundary, request) if request else []
    recorded = raw.get("boundary") if isinstance(raw, Mapping) else None
    if isinstance(recorded, Mapping):
        found += disagreement(boundary, recorded)
    return tuple(dict.fromkeys(found))


def _unjudged(code: str, why: str) -> RecordedCase:
    return RecordedCase(evidence=Evidence(error=why, error_code=code))


def _named(error: Exception, input_ref: str) -> str:
    said = str(error)
    return said if isinstance(error, Unusable) else f"the recording of `{input_ref}` can't be read: {said}"
