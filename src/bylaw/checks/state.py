"""Checks on what the agent left behind: files, and what commands say about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from bylaw.checks.check import PASSED, Demand, Judgement, failed, unjudged
from bylaw.evidence import Evidence, Need
from bylaw.language.patterns import PatternShape
from bylaw.language.regex import Pattern, RegexLimit
from bylaw.reader import Problems, Text

_SHOWN = 400


class StateCheck(Demand, frozen=True, kw_only=True):
    """A check that rests on the answer to one question about the end state."""

    world: ClassVar[bool] = True

    def question(self) -> Need:
        raise NotImplementedError

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return () if evidence is None else (self.question(),)

    def judge(self, evidence: Evidence, /) -> Judgement:
        seen = evidence.look(self.question())
        if seen.unseen:
            return unjudged("unseen", seen.unseen)
        return self.judge_answer(seen.value)

    def judge_answer(self, answer: Any) -> Judgement:
        raise NotImplementedError


class CommandExit(StateCheck, frozen=True, kw_only=True):
    command: Annotated[str, Text(min=1), "run with `sh -c` in the workspace"]
    exit_code: Annotated[int, "the exit code it must end with"] = 0

    def question(self) -> Need:
        return Need(kind="command", ask=(("command", self.command),))

    def judge_answer(self, answer: Any) -> Judgement:
        if answer["timed_out"]:
            return unjudged("timed_out", f"`{self.command}` did not end in time")
        if answer["exit_code"] == self.exit_code:
            return PASSED
        return failed(
            "exit_code",
            f"`{self.command}` ended with exit code {answer['exit_code']}, not {self.exit_code}",
            stdout=answer["stdout"],
            stderr=answer["stderr"],
        )


class _FileCheck(StateCheck, frozen=True, kw_only=True):
    path: Annotated[str, Text(min=1), "relative to the workspace"]

    def question(self) -> Need:
        return Need(kind="file", ask=(("path", self.path),))


class FileExists(_FileCheck, frozen=True, kw_only=True):
    def judge_answer(self, answer: Any) -> Judgement:
        return PASSED if answer["exists"] else failed("missing_file", f"there is no `{self.path}`")


class FileAbsent(_FileCheck, frozen=True, kw_only=True):
    def judge_answer(self, answer: Any) -> Judgement:
        return failed("unwanted_file", f"`{self.path}` is there") if answer["exists"] else PASSED


class FileContent(_FileCheck, frozen=True, kw_only=True):
    contains: Annotated[str | None, "text that must appear"] = None
    not_contains: Annotated[str | None, "text that must not appear"] = None
    pattern: Annotated[Pattern | None, PatternShape(), "a pattern that must be found"] = None

    def check(self, problems: Problems) -> None:
        if self.contains is None and self.not_contains is None and self.pattern is None:
            problems.add(
                "nothing-to-check",
                "this check asks for nothing",
                self.at.span,
                hint="give `contains`, `not_contains` or `pattern`; for mere presence use `file_exists`",
            )

    def judge_answer(self, answer: Any) -> Judgement:
        if not answer["exists"]:
            return failed("missing_file", f"there is no `{self.path}`")
        text = answer["text"]
        if text is None:
            return failed("not_a_file", f"`{self.path}` is a {answer['kind']}, not a file")
        try:
            wrong = self._wrong(text)
        except RegexLimit as error:
            return unjudged("regex_limit", str(error))
        return failed("file_content", wrong, text=text[:_SHOWN]) if wrong else PASSED

    def _wrong(self, text: str) -> str:
        if self.contains is not None and self.contains not in text:
            return f"`{self.path}` does not contain `{self.contains}`"
        if self.not_contains is not None and self.not_contains in text:
            return f"`{self.path}` contains `{self.not_contains}`"
        if self.pattern is not None and not self.pattern.search(text):
            return f"`{self.path}` does not match `{self.pattern.source}`"
        return ""
