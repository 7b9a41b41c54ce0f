"""What a case left behind when it was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.evidence import Evidence, ModelCall, ModelFailure
from bylaw.formats.packs.boundary import disagreement, incomparable, is_ours, mistakes_in, variance
from bylaw.formats.packs.golden import Golden, read_golden
from bylaw.formats.packs.json_files import Unusable, read_if_there
from bylaw.formats.packs.roots import PackRoot
from bylaw.wire import NotAResponse, ProviderFailed, decode, parsed, tool_calls

NO_REQUEST = "there is no request to compare with what was recorded"


class RecordedCase(msgspec.Struct, frozen=True, kw_only=True):
    """`notes` say what is odd about a recording that is judged all the same."""

    evidence: Evidence
    notes: tuple[str, ...] = ()


def recorded_case(pack: PackRoot, input_ref: str, *, judge_stale: bool = False) -> RecordedCase:
    """A recording where there is one, else the response in the golden file; or why there is neither."""
    path = pack.recording(input_ref)
    try:
        golden = read_golden(pack.golden(input_ref))
        text = read_if_there(path)
        raw = golden.response if text is None else parsed(text)
        beside = {} if text is None else recorded_boundary(raw)
    except (Unusable, NotAResponse) as error:
        return _unjudged("recording_unreadable", _named(error, input_ref))
    if raw is None and text is None:
        said = f"there is no recording at `{path}` and no response in `{pack.golden(input_ref)}`"
        return _unjudged("recording_not_found", said)
    changed = _changed(golden, beside)
    if changed is None and not judge_stale:
        return _unjudged("context_variance", NO_REQUEST)
    if changed and not judge_stale:
        verb = "differs" if len(changed) == 1 else "differ"
        said = f"the request is no longer the one that was recorded: {' and '.join(changed)} {verb}"
        return _unjudged("context_variance", said)
    evidence = _evidence(golden.request or {}, raw, input_ref)
    return RecordedCase(evidence=evidence, notes=_notes(golden, beside, changed))


def recorded_boundary(raw: Any) -> Mapping[str, Any]:
    """What stands beside a recorded answer of the request it was given to; raises `Unusable`."""
    if not isinstance(raw, Mapping) or "boundary" not in raw:
        return {}
    wrong = [mistake.message for mistake in mistakes_in(raw["boundary"]) if mistake.level == "error"]
    if wrong:
        raise Unusable(f"the recording can't be used: {', '.join(wrong)}")
    found: Mapping[str, Any] = raw["boundary"]
    return found


def _changed(golden: Golden, beside: Mapping[str, Any]) -> list[str] | None:
    """What of the request is no longer as it was; None where there is none, and somebody vouches for one."""
    vouched = [boundary for boundary in (golden.boundary, beside) if boundary]
    if golden.request is None:
        if any(is_ours(boundary) for boundary in vouched):
            return None
        return disagreement(golden.boundary, beside)
    found = [word for boundary in vouched for word in variance(boundary, golden.request)]
    return list(dict.fromkeys(found + disagreement(golden.boundary, beside)))


def _notes(golden: Golden, beside: Mapping[str, Any], changed: list[str] | None) -> tuple[str, ...]:
    notes = list(golden.remarks)
    if changed is None:
        notes.append(f"judged all the same: {NO_REQUEST}")
    elif changed:
        notes.append(f"judged on a recording of another request: {' and '.join(changed)} changed since")
    opaque = [*incomparable(golden.boundary, beside), *incomparable(beside, golden.boundary)]
    if opaque:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(opaque))
        notes.append(f"its boundary can't be compared: nothing else says {names}")
    return tuple(notes)


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


def _unjudged(code: str, why: str) -> RecordedCase:
    return RecordedCase(evidence=Evidence(error=why, error_code=code))


def _named(error: Exception, input_ref: str) -> str:
    said = str(error)
    return said if isinstance(error, Unusable) else f"the recording of `{input_ref}` can't be read: {said}"
