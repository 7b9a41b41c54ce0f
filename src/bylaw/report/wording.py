"""Numbers, counts and verdicts in words."""

from __future__ import annotations

from collections import Counter

from bylaw.report.standing import Standing
from bylaw.verdict import State, Verdict

# Words that say by themselves which state they stand for; others are shown beside it.
_PLAIN: dict[State, frozenset[str]] = {
    "held": frozenset({"held", "pass", "allow", "matched", "nothing enforced"}),
    "broken": frozenset({"broken", "fail", "deny", "unmatched"}),
    "undecided": frozenset({"undecided", "nothing judged", "not applicable", "interrupted"}),
}
_COUNTED = (
    (Standing.passed, "passed"),
    (Standing.failed, "failed"),
    (Standing.error, "error"),
    (Standing.not_exercised, "not exercised"),
    (Standing.observed, "observed"),
    (Standing.not_applicable, "not applicable"),
)


def count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def counted(counts: Counter[Standing]) -> list[tuple[Standing, str]]:
    return [(kind, f"{counts[kind]:,} {word}") for kind, word in _COUNTED if counts[kind]]


def counts_in_words(counts: Counter[Standing]) -> str:
    return ", ".join(words for _, words in counted(counts))


def verdict_in_words(verdict: Verdict | None) -> str:
    """The file's own word for it; beside it what it comes to, where the word leaves that open."""
    if verdict is None:
        return "not judged"
    if not verdict.binding and verdict.word != "nothing enforced":
        return f"observed: {verdict.word}"
    return verdict.word if verdict.word.lower() in _PLAIN[verdict.state] else f"{verdict.state}: {verdict.word}"


def score_in_words(verdict: Verdict | None) -> str:
    if verdict is None or verdict.low is None or verdict.high is None:
        return ""
    low, high = _percent(verdict.low), _percent(verdict.high)
    return low if low == high else f"{low} to {high}"


def partial_score(verdict: Verdict) -> str:
    """A score between nothing and everything; empty where the outcome says it all."""
    known = verdict.low is not None and verdict.low == verdict.high and 0 < verdict.low < 1
    return score_in_words(verdict) if known else ""


def _percent(share: float) -> str:
    """Never rounded up to a full score, nor down to none."""
    tenths = round(share * 1000)
    if share < 1:
        tenths = min(tenths, 999)
    if share > 0:
        tenths = max(tenths, 1)
    return f"{tenths // 10}%" if tenths % 10 == 0 else f"{tenths / 10:.1f}%"


def duration(ms: float) -> str:
    seconds = ms / 1000
    if seconds < 1:
        return f"{ms:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"
