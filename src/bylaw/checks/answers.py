"""Checks on the agent's answer.

Without an answer, one that asks for something in it fails; one that forbids something can't be judged, since silence
is no proof of obedience.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

from bylaw.checks.check import NO_ANSWER, PASSED, Demand, Judgement, failed, no_answer, unjudged
from bylaw.evidence import Evidence
from bylaw.language.patterns import PatternShape
from bylaw.language.regex import Pattern, RegexLimit
from bylaw.reader import Items, Text
from bylaw.verdict import Outcome

_SHOWN = 60


def _quoted(text: str) -> str:
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}…`"


class AnswerCheck(Demand, frozen=True, kw_only=True):
    """A check that looks at nothing but the answer's text."""

    forbids: ClassVar[bool] = False

    def judge(self, evidence: Evidence, /) -> Judgement:
        if evidence.output is None:
            reason = no_answer(evidence)
            return unjudged(NO_ANSWER, reason) if self.forbids else failed(NO_ANSWER, reason)
        try:
            return self.judge_text(evidence.output)
        except RegexLimit as error:
            return unjudged("regex_limit", str(error))

    def judge_text(self, text: str) -> Judgement:
        raise NotImplementedError


class Contains(AnswerCheck, frozen=True, kw_only=True):
    value: Annotated[str, Text(min=1), "text that must appear in the answer, in any case"]

    def judge_text(self, text: str) -> Judgement:
        if self.value.casefold() in text.casefold():
            return Judgement(outcome=Outcome.passed, reason=f"the answer contains {_quoted(self.value)}")
        return failed("not_contained", f"the answer does not contain {_quoted(self.value)}")


class ContainsAny(AnswerCheck, frozen=True, kw_only=True):
    values: Annotated[tuple[str, ...], Items(min=1), "texts of which one must appear in the answer, in any case"]

    def judge_text(self, text: str) -> Judgement:
        folded = text.casefold()
        for value in self.values:
            if value.casefold() in folded:
                return Judgement(outcome=Outcome.passed, reason=f"the answer contains {_quoted(value)}")
        return failed("not_contained", f"the answer contains none of {', '.join(map(_quoted, self.values))}")


class Regex(AnswerCheck, frozen=True, kw_only=True):
    pattern: Annotated[Pattern, PatternShape(dotall=True), "a pattern that must be found in the answer"]

    def judge_text(self, text: str) -> Judgement:
        if self.pattern.search(text):
            return Judgement(outcome=Outcome.passed, reason=f"the answer matches {_quoted(self.pattern.source)}")
        return failed("no_match", f"the answer does not match {_quoted(self.pattern.source)}")


class ExcludesPattern(AnswerCheck, frozen=True, kw_only=True):
    forbids: ClassVar[bool] = True

    patterns: Annotated[
        tuple[Annotated[Pattern, PatternShape(dotall=True)], ...], Items(min=1), "patterns of which none may be found"
    ]

    def judge_text(self, text: str) -> Judgement:
        for pattern in self.patterns:
            if pattern.search(text):
                return failed("match", f"the answer matches {_quoted(pattern.source)}")
        return PASSED


class ValidJson(AnswerCheck, frozen=True, kw_only=True):
    def judge_text(self, text: str) -> Judgement:
        try:
            msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
            return failed("not_json", f"the answer is not JSON: {error}")
        return Judgement(outcome=Outcome.passed, reason="the answer is JSON")


class OutputNotEmpty(AnswerCheck, frozen=True, kw_only=True):
    def judge_text(self, text: str) -> Judgement:
        if text.strip():
            return Judgement(outcome=Outcome.passed, reason="the answer is not empty")
        return failed("empty", "the answer is empty")
