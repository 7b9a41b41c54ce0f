"""What came of each case of a run: how often it held, and a fingerprint that is equal where the outcome is."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import Any

import msgspec

from bylaw.evidence import ModelCall, ToolCall
from bylaw.formats.packs.boundary import canonical
from bylaw.journal import CellJudged, Event, GroupJudged, Started, TrialEnded
from bylaw.redaction import Redactor
from bylaw.verdict import Outcome

_REDACTOR = Redactor()
_Z = 1.96
"""Standard deviations for 95 %."""


class CaseTrial(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to a case. `tokens` and `ms` are there where somebody was asked."""

    held: bool
    fingerprint: str
    calls: tuple[tuple[str, str], ...] = ()
    failure: str = ""
    ms: float = 0.0
    tokens: int | None = None


class CaseOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A case, named as in its plan; `codes` say what kept it from holding."""

    case: str
    word: str
    state: str
    trials: tuple[CaseTrial, ...]
    codes: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Of one answer its own; of several, one over all of them in any order."""
        own = sorted({trial.fingerprint for trial in self.trials})
        if len(own) == 1:
            return own[0]
        return _digest(own) if own else ""

    @property
    def held(self) -> int:
        return sum(trial.held for trial in self.trials)

    @property
    def flaky(self) -> bool:
        return 0 < self.held < len(self.trials)


def outcomes(events: Iterable[Event]) -> list[CaseOutcome]:
    """Every case in a journal, in plan order; a case without an answer has no trials."""
    cases: dict[str, dict[str, list[tuple[str, Outcome, str]]]] = {}
    ended: dict[str, TrialEnded] = {}
    verdicts: dict[str, GroupJudged] = {}
    for event in events:
        match event:
            case Started():
                cases = {group.id: {} for group in event.groups if group.kind == "case"}
            case TrialEnded():
                ended[event.trial] = event
            case CellJudged() if event.group in cases:
                for found in event.conclusions:
                    if found.trial is not None:
                        trials = cases[event.group].setdefault(found.trial, [])
                        trials.append((event.item.id, found.outcome, found.code))
            case GroupJudged() if event.group in cases:
                verdicts[event.group] = event
    return [_outcome(name, trials, ended, verdicts.get(name)) for name, trials in cases.items()]


def _outcome(
    name: str,
    trials: dict[str, list[tuple[str, Outcome, str]]],
    ended: dict[str, TrialEnded],
    judged: GroupJudged | None,
) -> CaseOutcome:
    told = [finding for findings in trials.values() for finding in findings]
    return CaseOutcome(
        case=name,
        word="not run" if judged is None else judged.verdict.word,
        state="undecided" if judged is None else judged.verdict.state,
        trials=tuple(_trial(ended[trial], findings) for trial, findings in trials.items() if trial in ended),
        codes=tuple(dict.fromkeys(code for _, outcome, code in told if code and outcome is not Outcome.passed)),
    )


def _trial(ended: TrialEnded, findings: list[tuple[str, Outcome, str]]) -> CaseTrial:
    """What a model said in so many words is no part of the outcome; that it said something is."""
    evidence = ended.evidence
    models = [event for event in evidence.events if isinstance(event, ModelCall)]
    last = models[-1] if models else None
    failure = "" if last is None or last.failure is None else last.failure.kind
    calls = [_call(event) for event in evidence.events if isinstance(event, ToolCall)]
    said = {
        "findings": sorted((item, str(outcome), code) for item, outcome, code in findings),
        "calls": calls,
        "text": bool(evidence.output),
        "failure": failure or evidence.error_code * (evidence.error is not None),
    }
    usage = (last.response or {}).get("usage") if last is not None else None
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    return CaseTrial(
        held=bool(findings) and all(outcome is Outcome.passed for _, outcome, _ in findings),
        fingerprint=_digest(said),
        calls=tuple((name, canonical(arguments).decode()) for name, arguments in calls),
        failure=failure or (evidence.error or ""),
        ms=evidence.ms,
        tokens=tokens if isinstance(tokens, int) else None,
    )


def _call(call: ToolCall) -> tuple[str, Any]:
    arguments = call.args if call.malformed is None else {"malformed": call.malformed}
    return call.tool, _REDACTOR.redact_value(dict(arguments))[0]


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()[:8]


def wilson(held: int, count: int) -> tuple[float, float]:
    """Where the true rate lies with 95 % confidence, by Wilson's score interval."""
    if not count:
        return 0.0, 1.0
    rate, spread = held / count, _Z**2 / count
    middle = rate + spread / 2
    width = _Z * math.sqrt(rate * (1 - rate) / count + spread / (4 * count))
    return max(0.0, (middle - width) / (1 + spread)), min(1.0, (middle + width) / (1 + spread))
