"""A model's script: which answer comes when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from bylaw.language.patterns import PatternShape
from bylaw.language.regex import Pattern
from bylaw.reader import Bounds, Document, Items, Problems, Text
from bylaw.reader.problems import listing

API = Literal["openai_chat", "openai_responses", "anthropic_messages", "gemini"]
KIND = "bylaw/model-script"
LONGEST_DELAY_MS = 3_600_000

_SAID = Text(min=1)
_ANYWAY = ("when", "times", "delay_ms")
_ANSWER = ("text", "tool_calls", "finish_reason", "usage", "cut", "drop")
_ERROR = ("status", "retry_after", "error", "message", "junk")


class When(Document, frozen=True, kw_only=True):
    """What a request must be like; everything that is given must hold."""

    called: ClassVar[str] = "`when`"

    turn: Annotated[int | None, Bounds(ge=1), "which answer of the conversation is asked for, counted from 1"] = None
    contains: Annotated[str | None, _SAID, "text in what the user said last"] = None
    matches: Annotated[Pattern | None, PatternShape(dotall=True), "a pattern in what the user said last"] = None
    anywhere: Annotated[str | None, _SAID, "text in any message, in any result, or in what the system is told"] = None
    system_contains: Annotated[str | None, _SAID, "text in what the system is told"] = None
    tool_result: Annotated[str | None, _SAID, "a tool whose result has just come in"] = None
    result_contains: Annotated[str | None, _SAID, "text in a result that has just come in"] = None
    tools: Annotated[tuple[str, ...], Items(min=1), "tools that must be offered"] = ()
    model: Annotated[str | None, _SAID, "the model that is asked; `*` stands for any text"] = None
    api: Annotated[API | None, "the API that is used"] = None

    def check(self, problems: Problems) -> None:
        if not self.at.entries:
            problems.add("nothing-to-match", "`when` says nothing", self.at.span, hint="leave it out")


class Call(Document, frozen=True, kw_only=True):
    """A tool call the model asks for. `raw_arguments` goes out letter by letter, whatever it is."""

    called: ClassVar[str] = "a tool call"

    name: Annotated[str, "the tool; an empty one is a call without a name"]
    arguments: Annotated[Mapping[str, Any], "its arguments"] = {}
    raw_arguments: Annotated[str | None, "the text of arguments that are none"] = None
    id: Annotated[str | None, _SAID, "made up if left out"] = None

    def check(self, problems: Problems) -> None:
        if self.raw_arguments is not None and "arguments" in self.at.entries:
            message = "a call has `arguments` or `raw_arguments`, not both"
            problems.add("contradiction", message, self.where("raw_arguments"))


class Usage(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "`usage`"

    input_tokens: Annotated[int, Bounds(ge=0)] = 0
    output_tokens: Annotated[int, Bounds(ge=0)] = 0


class Answer(Document, frozen=True, kw_only=True):
    """One entry of a script: what comes, on which requests, and how often."""

    called: ClassVar[str] = "an answer"

    when: Annotated[When | None, "what a request must be like; any, if left out"] = None
    times: Annotated[int, Bounds(ge=1)] | Literal["forever"] = 1
    delay_ms: Annotated[int, Bounds(ge=0, le=LONGEST_DELAY_MS), "how long to wait before answering"] = 0
    text: Annotated[str | None, "what the model says"] = None
    tool_calls: Annotated[tuple[Call, ...], Items(min=1), "what it asks for"] = ()
    finish_reason: Annotated[str | None, _SAID, "why it stopped; follows from the answer if left out"] = None
    usage: Annotated[Usage | None, "the tokens it tells of; estimated if left out"] = None
    cut: Annotated[bool, "the answer ends in the middle, in good order"] = False
    drop: Annotated[Literal["before", "mid-stream"] | None, "the connection closes"] = None
    status: Annotated[int | None, Bounds(ge=400, le=599), "an error with this HTTP status"] = None
    retry_after: Annotated[float | None, Bounds(ge=0), "how many seconds the error asks to wait"] = None
    error: Annotated[str | None, _SAID, "the provider's own name of the error"] = None
    message: Annotated[str | None, "what the error says"] = None
    junk: Annotated[str | None, "a body that is no answer, sent as it is"] = None

    def check(self, problems: Problems) -> None:
        leading = self._leading()
        if leading is None:
            message, hint = (
                "this answer says nothing",
                "give it `text`, `tool_calls`, `status`, `junk` or `drop: before`",
            )
            problems.add("no-answer", message, self.at.span, hint=hint)
            return
        allowed = {"text": _ANSWER, "tool_calls": _ANSWER, "status": _ERROR}.get(leading, (leading,))
        for key, entry in self.at.entries.items():
            if key not in allowed and key not in _ANYWAY:
                message = f"`{key}` can't stand beside `{leading}`"
                beside = [other for other in (*allowed, *_ANYWAY) if other != leading]
                problems.add("contradiction", message, entry.where, hint=f"beside it may be {listing(beside)}")
        if self.cut and self.drop is not None:
            problems.add("contradiction", "an answer ends by `cut` or by `drop`, not both", self.where("cut"))
        elif self.drop == "before" and leading != "drop":
            message = f"nothing is sent with `drop: before`, so `{leading}` would never be seen"
            problems.add("contradiction", message, self.where("drop"), hint="did you mean `drop: mid-stream`?")

    def _leading(self) -> str | None:
        """The key that decides what kind of answer it is."""
        written = self.at.entries
        if self.drop == "before" and not written.keys() & {"text", "tool_calls", "status", "junk"}:
            return "drop"
        return next((key for key in ("status", "text", "tool_calls", "junk") if key in written), None)


class Script(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "a model's script"

    kind: Literal["bylaw/model-script"]
    models: Annotated[tuple[str, ...], Items(min=1), "the models it lists when asked"] = ()
    answers: Annotated[tuple[Answer, ...], Items(min=1), "tried in this order; the first that fits is given"]

    def check(self, problems: Problems) -> None:
        for number, answer in enumerate(self.answers, 1):
            if answer.when is None and answer.times == "forever":
                for never in self.answers[number:]:
                    message = f"this answer is never given: answer {number} takes every request"
                    hint = "give that one a `when`, or put it last"
                    problems.add("never-given", message, never.at.span, hint=hint)
                return
