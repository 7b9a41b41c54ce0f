"""The rules by which findings become verdicts. Each is a value that can be printed, compared and journaled.

Every fold here keeps three promises. It is broken if even the best case of what is unknown breaks it; undecided if
anything binding is unknown or nothing was judged; held otherwise. What does not bind is shown and never counts. What
does not apply is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from bylaw.verdict import Finding, Outcome, Part, State, Verdict

WEIGHT_OF_SEVERITY = {"critical": 3.0, "high": 2.0, "medium": 1.0, "low": 1.0}
ROUNDING = 1e-9
NOT_THE_SAME = "model_nondeterminism"


def _judged(parts: Iterable[Part]) -> list[Part]:
    return [part for part in parts if part.binding and part.applies]


MOST_REASONS = 20


def _because(parts: Iterable[Part]) -> tuple[Finding, ...]:
    """The findings that keep a verdict from being held, one per part and no more than explain it.

    What broke comes before what is unknown, and first what must hold.
    """
    found: list[Finding] = []
    open_parts = [part for part in parts if part.state != "held" and part.applies]
    for part in sorted(open_parts, key=lambda part: (part.state != "broken", not part.must)):
        if isinstance(part, Finding):
            found.append(part)
        elif part.because:
            found.append(part.because[0])
        if len(found) == MOST_REASONS:
            break
    return tuple(found)


def _nothing_judged(parts: Sequence[Part]) -> Verdict:
    """No binding part could be counted. Drafts and observed rules alone enforce nothing: said, and no failure."""
    if parts and not any(part.binding for part in parts):
        return Verdict(state="held", word="nothing enforced", binding=False)
    excluded = bool(parts) and all(isinstance(part, Finding) and not part.applies for part in parts)
    word = "not applicable" if excluded else "nothing judged"
    return Verdict(state="undecided", word=word, applies=not excluded)


def _settle(parts: Sequence[Part], *, low: float, high: float, sinks: bool, words: tuple[str, str, str]) -> Verdict:
    """`sinks`: even the best case of what is unknown breaks the rule."""
    state: State
    if sinks:
        state, word = "broken", words[1]
    elif any(part.state == "undecided" for part in parts):
        state, word = "undecided", words[2]
    else:
        state, word = "held", words[0]
    return Verdict(state=state, word=word, low=low, high=high, because=_because(parts))


class AllHold(msgspec.Struct, frozen=True, kw_only=True, tag="all"):
    """Everything must hold: the fold of a run, of a file without a score, of a cell over its prompts.

    A single finding keeps its own score; of several, the share that held is the score.
    """

    words: tuple[str, str, str] = ("held", "broken", "undecided")

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        judged = _judged(parts)
        if not judged:
            return _nothing_judged(parts)
        if len(judged) == 1 and isinstance(only := judged[0], Finding):
            return _settle(judged, low=only.low, high=only.high, sinks=only.state == "broken", words=self.words)
        broken = sum(part.state == "broken" for part in judged)
        held = sum(part.state == "held" for part in judged)
        return _settle(
            judged,
            low=held / len(judged),
            high=(len(judged) - broken) / len(judged),
            sinks=broken > 0,
            words=self.words,
        )


class FirstDenial(msgspec.Struct, frozen=True, kw_only=True, tag="first-denial"):
    """A policy's answer: the first enforced denial in file order decides, a rule that broke denies too.

    A policy that says nothing allows: here silence is an answer.
    """

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        unknown = []
        for part in parts:
            if not (part.binding and part.applies):
                continue
            if isinstance(part, Verdict):
                if part.state == "broken":
                    return Verdict(state="broken", word="deny", low=0.0, high=0.0, because=part.because)
            elif part.action == "deny":
                return Verdict(state="broken", word="deny", low=0.0, high=0.0, because=(part,))
            if part.state == "undecided":
                unknown.append(part)
        if unknown:
            return Verdict(state="undecided", word="undecided", low=0.0, high=1.0, because=_because(unknown))
        return Verdict(state="held", word="allow", low=1.0, high=1.0)


class MatchedRatio(msgspec.Struct, frozen=True, kw_only=True, tag="matched-ratio"):
    """Enough of what was expected was found; matched over expected, compared as written."""

    threshold: float = 1.0

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        judged = _judged(parts)
        if not judged:
            return _nothing_judged(parts)
        held = sum(part.state == "held" for part in judged)
        broken = sum(part.state == "broken" for part in judged)
        low, high = held / len(judged), (len(judged) - broken) / len(judged)
        return _settle(
            judged,
            low=low,
            high=high,
            sinks=high < self.threshold,
            words=("matched", "unmatched", "undecided"),
        )


def _mean(judged: Sequence[Part], *, graded: bool) -> tuple[float, float] | None:
    """Weighted mean with unknowns at 0 and at 1. Graded parts count by score, others by whether they held."""
    total = math.fsum(part.weight for part in judged)
    if total <= 0:
        return None
    if graded:
        spans = [(part.low or 0.0, 1.0 if part.high is None else part.high) for part in judged]
    else:
        spans = [(float(part.state == "held"), float(part.state != "broken")) for part in judged]
    low = math.fsum(part.weight * least for part, (least, _) in zip(judged, spans, strict=True))
    high = math.fsum(part.weight * most for part, (_, most) in zip(judged, spans, strict=True))
    return low / total, high / total


class SeverityWeighted(msgspec.Struct, frozen=True, kw_only=True, tag="severity-weighted"):
    """Share of what passed, by weight; one broken part that must hold breaks it whatever the number.

    A score of 0 is always broken; `min_score` (0 to 100) breaks it below that.
    """

    min_score: float | None = None

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        judged = _judged(parts)
        fatal = any(part.must and part.state == "broken" for part in judged)
        span = _mean(judged, graded=False)
        if span is None and not fatal:
            return _nothing_judged(parts)
        low, high = span or (0.0, 0.0)
        least = 0.0 if self.min_score is None else self.min_score / 100
        sinks = fatal or high <= 0 or high < least - ROUNDING
        return _settle(judged, low=low, high=high, sinks=sinks, words=("pass", "FAIL", "undecided"))


class Composite(msgspec.Struct, frozen=True, kw_only=True, tag="composite"):
    """Weighted mean of scores against a threshold; a gate that is not passed in full forces the score to 0."""

    pass_threshold: float = 1.0

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        judged = _judged(parts)
        gates = [part for part in judged if part.must]
        shut = any(part.state == "broken" or (part.high is not None and part.high < 1.0) for part in gates)
        span = _mean(judged, graded=True)
        if span is None and not shut:
            return _nothing_judged(parts)
        low, high = span or (0.0, 0.0)
        if shut:
            low = high = 0.0
            sinks = True
        else:
            sinks = high < self.pass_threshold - ROUNDING
            if any(part.state == "undecided" for part in gates):
                low = 0.0
        return _settle(judged, low=low, high=high, sinks=sinks, words=("pass", "fail", "error"))


class Replicas(msgspec.Struct, frozen=True, kw_only=True, tag="replicas"):
    """Several trials of the same thing. The rule decides; outcomes that differ are called flaky beside it.

    `mean` compares the mean score with `least`, `pass_rate` the share of replicas that held. `same` asks that all
    come out the same: where some held and some did not, nothing is decided. `words` are for held, broken, undecided.
    """

    rule: Literal["all", "any", "majority", "mean", "pass_rate", "same"] = "all"
    least: float = 1.0
    words: tuple[str, str, str] = ("pass", "fail", "error")

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        judged = _judged(parts)
        if not judged:
            return _nothing_judged(parts)
        count = len(judged)
        held = sum(part.state == "held" for part in judged)
        broken = sum(part.state == "broken" for part in judged)
        low, high = held / count, (count - broken) / count
        if self.rule == "mean":
            low = math.fsum(part.low or 0.0 for part in judged) / count
            high = math.fsum(1.0 if part.high is None else part.high for part in judged) / count
        flaky = held > 0 and broken > 0
        if flaky and self.rule == "same":
            return Verdict(
                state="undecided", word=self.words[2], low=low, high=high, because=_differing(judged, held=held)
            )
        words = ("flaky", "flaky", "flaky") if flaky else self.words
        return _settle(judged, low=low, high=high, sinks=self._sinks(count, count - broken, high), words=words)

    def _sinks(self, count: int, best: int, high: float) -> bool:
        match self.rule:
            case "all":
                return best < count
            case "any" | "same":
                return best == 0
            case "majority":
                return best * 2 <= count
            case "mean" | "pass_rate":
                return high < self.least - ROUNDING


class Expected(msgspec.Struct, frozen=True, kw_only=True, tag="expected"):
    """A case that must fail in one stated way: it holds when the first broken part has that code.

    `order` says which code counts first; codes outside it come last, in the order of the parts.
    """

    code: str
    order: tuple[str, ...] = ()

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        judged = _judged(parts)
        if not judged:
            return _nothing_judged(parts)
        broken = [part for part in judged if part.state == "broken"]
        unknown = [part for part in judged if part.state == "undecided"]
        failures = sorted((found for part in broken for found in _because((part,))), key=lambda f: self._rank(f.code))
        first = failures[0] if failures else None
        if unknown and (first is None or self._rank(first.code) >= self._rank(self.code)):
            return Verdict(state="undecided", word="undecided", low=0.0, high=1.0, because=_because(unknown))
        if first is not None and first.code == self.code:
            return Verdict(state="held", word="failed as expected", low=1.0, high=1.0)
        word = "failed in another way" if broken else "did not fail"
        return Verdict(state="broken", word=word, low=0.0, high=0.0, because=tuple(failures[:1]))

    def _rank(self, code: str) -> int:
        return self.order.index(code) if code in self.order else len(self.order)


def _differing(judged: Sequence[Part], *, held: int) -> tuple[Finding, ...]:
    """Why replicas that don't agree decide nothing, told about what the first that broke is about."""
    reason = f"it held in {held} of {len(judged)} trials: the same question is not always answered the same"
    return tuple(
        Finding(item=found.item, outcome=Outcome.error, score=0.0, code=NOT_THE_SAME, reason=reason)
        for found in _because(judged)[:1]
    )


class Accepted(msgspec.Struct, frozen=True, kw_only=True, tag="accepted"):
    """Another fold, with some of what leaves it undecided accepted beforehand: that is shown, and does not bind."""

    fold: AllHold | Replicas
    codes: tuple[str, ...]

    def __call__(self, parts: Sequence[Part], /) -> Verdict:
        verdict = self.fold(parts)
        if verdict.state != "undecided" or not verdict.because:
            return verdict
        unknown = [found for part in _judged(parts) if part.state == "undecided" for found in _because((part,))]
        if all(found.code in self.codes for found in (*verdict.because, *unknown)):
            return msgspec.structs.replace(verdict, word=f"{verdict.word}, accepted", binding=False)
        return verdict


AnyFold = AllHold | FirstDenial | MatchedRatio | SeverityWeighted | Composite | Replicas | Accepted | Expected
