"""Spans that follow the conventions for generative AI, the older ones and the newer, as steps of a trace.

Content is in attributes as messages with parts, in events with a message each, or in attributes with numbered names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from bylaw.evidence import Answer, ModelFailure
from bylaw.observe.traces.numbered import numbered
from bylaw.observe.traces.said import NO_CONTENT, first, numbered_id, one_of_several, parsed, request_of, response_of
from bylaw.observe.traces.spans import Span
from bylaw.observe.traces.trace import NO_NAME, ModelStep, ToolStep, Unusable
from bylaw.wire import Response
from bylaw.wire.response import counted, json_text

_MODEL = frozenset({"chat", "text_completion", "generate_content", "completion"})
_TOOL = "execute_tool"
_DETAILS = "gen_ai.client.inference.operation.details"
_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"
_COMPLETION = "gen_ai.content.completion"
_UNSPOKEN = frozenset(
    {"reasoning", "thinking", "blob", "file", "uri", "server_tool_call", "server_tool_call_response"}
    | {"tool_call_response"}
)
"""Parts of a message that are neither text nor calls for the application to make."""


def steps_of(span: Span) -> Sequence[ModelStep | ToolStep | Unusable]:
    """None for a span of something else, and one for each answer. Raises `Unusable` for one that tells too little."""
    said = span.attributes
    operation = said.get("gen_ai.operation.name")
    if operation == _TOOL or (operation is None and "gen_ai.tool.name" in said):
        return [_tool(span)]
    named = "gen_ai.request.model" in said or "gen_ai.response.model" in said
    if operation in _MODEL or "llm.request.type" in said or (operation is None and named):
        return _model(span)
    return []


def _tool(span: Span) -> ToolStep:
    said = span.attributes
    name = said.get("gen_ai.tool.name")
    if not isinstance(name, str) or not name:
        raise Unusable(NO_NAME)
    result = said.get("gen_ai.tool.call.result")
    answer = Answer(raised=span.error) if span.error is not None else None
    if result is not None and answer is None:
        answer = Answer(text=result if isinstance(result, str) else json_text(result))
    call = said.get("gen_ai.tool.call.id")
    return ToolStep(
        id=span.id,
        tool=name,
        call=call if isinstance(call, str) else "",
        arguments=parsed(said.get("gen_ai.tool.call.arguments")),
        answer=answer,
    )


def _model(span: Span) -> list[ModelStep | Unusable]:
    content = _Content(span)
    request = request_of(content.request)
    if not content.answers:
        if span.error is None:
            raise Unusable(NO_CONTENT if content.damaged is None else content.damaged)
        kind = span.attributes.get("error.type")
        failure = ModelFailure(kind=kind if isinstance(kind, str) else "server_error", message=span.error)
        return [ModelStep(id=span.id, request=request, failure=failure)]

    def step(number: int, message: Any) -> ModelStep:
        response = _response(span, message, number - 1)
        return ModelStep(id=numbered_id(span.id, number), request=request, response=response)

    return [one_of_several(partial(step, number, message)) for number, message in enumerate(content.answers, 1)]


def _response(span: Span, given: Any, place: int) -> Response:
    if not isinstance(given, Mapping):
        raise Unusable("a model call with an answer that is not a message")
    said, message = span.attributes, _of_parts(given)
    endings = said.get("gen_ai.response.finish_reasons")
    return response_of(
        message,
        id=said.get("gen_ai.response.id"),
        model=first([said.get("gen_ai.response.model"), said.get("gen_ai.request.model")]),
        finish_reason=first(
            [message.get("finish_reason"), *(endings[place : place + 1] if isinstance(endings, list) else ())]
        ),
        usage=counted(
            first([said.get("gen_ai.usage.input_tokens"), said.get("gen_ai.usage.prompt_tokens")]),
            first([said.get("gen_ai.usage.output_tokens"), said.get("gen_ai.usage.completion_tokens")]),
        ),
    )


class _Content:
    """What a span tells of a talk, from the first place that has answers; `damaged` is what can't be read."""

    def __init__(self, span: Span) -> None:
        self.said = {
            **span.attributes,
            **{key: value for name, said in span.events if name == _DETAILS for key, value in said.items()},
        }
        self.messages: list[Any] = []
        self.answers: list[Any] = []
        self.damaged: str | None = None
        for read in (self._from_messages, self._from_events, self._from_numbers):
            read(span)
            if self.answers:
                return

    @property
    def request(self) -> dict[str, Any]:
        said = self.said
        return {
            "model": said.get("gen_ai.request.model"),
            "system": _instructions(parsed(said.get("gen_ai.system_instructions"))),
            "messages": self.messages,
            "tools": self._tools(),
            "temperature": said.get("gen_ai.request.temperature"),
            "max_tokens": said.get("gen_ai.request.max_tokens"),
            "top_p": said.get("gen_ai.request.top_p"),
        }

    def _tools(self) -> list[Any] | None:
        listed = first(parsed(self.said.get(key)) for key in ("gen_ai.tool.definitions", "gen_ai.request.tools"))
        if isinstance(listed, list):
            return [tool for tool in map(parsed, listed) if isinstance(tool, dict)]
        counted_ones = numbered(self.said, "llm.request.functions")
        return [{**tool, "parameters": parsed(tool.get("parameters"))} for tool in counted_ones] or None

    def _from_messages(self, _: Span) -> None:
        given, answers = (parsed(self.said.get(f"gen_ai.{way}.messages")) for way in ("input", "output"))
        if isinstance(given, list):
            self.messages = [said for message in given if isinstance(message, dict) for said in _messages(message)]
        if isinstance(answers, list):
            self.answers = answers
        elif answers is not None:
            self.damaged = "a model call whose `gen_ai.output.messages` is no list of messages, or was cut off"

    def _from_events(self, span: Span) -> None:
        told = [(name, _body(said)) for name, said in span.events]
        messages = [{"role": _ROLES[name], **_message(body)} for name, body in told if name in _ROLES]
        self.messages = self.messages or messages or _prompts(told)
        choices = [_message(body) for name, body in told if name == _CHOICE]
        completions = [parsed(body.get("gen_ai.completion")) for name, body in told if name == _COMPLETION]
        listed = [answer for found in completions if isinstance(found, list) for answer in found]
        self.answers = listed or choices
        if len(completions) > sum(isinstance(found, list) for found in completions) and not self.answers:
            self.damaged = "a model call whose `gen_ai.completion` is no list of messages, or was cut off"

    def _from_numbers(self, span: Span) -> None:
        self.messages = self.messages or [_counted(entry) for entry in numbered(span.attributes, "gen_ai.prompt")]
        self.answers = [_counted(entry) for entry in numbered(span.attributes, "gen_ai.completion")]


def _prompts(told: list[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    found = first(parsed(body.get("gen_ai.prompt")) for name, body in told if name == "gen_ai.content.prompt")
    return found if isinstance(found, list) else []


def _body(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes of an event, or the object that one of them holds all of it in."""
    inside = parsed(said.get("gen_ai.event.content"))
    return {**said, **inside} if isinstance(inside, dict) else said


def _message(body: Mapping[str, Any]) -> dict[str, Any]:
    """A choice has its message in it, or is one."""
    inside = parsed(body.get("message"))
    message = {**body, **inside} if isinstance(inside, dict) else dict(body)
    if isinstance(inside, str):
        message["content"] = inside
    found = {key: message[key] for key in ("content", "finish_reason", "name") if key in message}
    calls = parsed(message.get("tool_calls"))
    if isinstance(calls, list):
        found["tool_calls"] = [parsed(call) for call in calls]
    if isinstance(message.get("id"), str):
        found["tool_call_id"] = message["id"]
    return found


def _counted(entry: Mapping[str, Any]) -> dict[str, Any]:
    calls = entry.get("tool_calls")
    content = entry.get("content")
    found = {**entry, "content": content if content or not calls else None}
    return {**found, "tool_calls": calls} if isinstance(calls, list) else found


def _of_parts(message: Mapping[str, Any], *, asked: bool = False) -> dict[str, Any]:
    """A message with parts as one with text and calls; other parts stay out.

    An answer with a part that nobody knows could ask for anything, and is none that can be used.
    """
    parts = message.get("parts")
    if not isinstance(parts, list):
        return dict(message)
    texts: list[str] = []
    calls: list[Any] = []
    spoken = False
    for part in parts:
        match part:
            case {"type": "text", "content": str() as text}:
                texts.append(text)
            case {"type": "tool_call"}:
                calls.append({key: part[key] for key in ("id", "name", "arguments") if key in part})
            case {"type": str() as kind} if kind in _UNSPOKEN:
                spoken = True
            case {"type": str() as kind} if not asked:
                raise Unusable(f"a model call whose answer has a part that can't be read, of the type `{kind[:40]}`")
            case _ if not asked:
                raise Unusable("a model call whose answer has a part without a type")
    return {
        "role": message.get("role"),
        "content": "".join(texts) if texts or (spoken and not calls) else None,
        "tool_calls": calls,
        "finish_reason": message.get("finish_reason"),
    }


def _messages(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The results of tools in a message, each by itself, and what else is in it."""
    parts = message.get("parts")
    results = [part for part in parts if _is_result(part)] if isinstance(parts, list) else []
    for part in results:
        yield {"role": "tool", "tool_call_id": part.get("id"), "content": _result(part)}
    if not isinstance(parts, list) or len(results) < len(parts):
        yield _of_parts(message, asked=True)


def _is_result(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "tool_call_response"


def _result(part: Mapping[str, Any]) -> str:
    given = first([part.get("response"), part.get("result")])
    return given if isinstance(given, str) else "" if given is None else json_text(given)


def _instructions(given: Any) -> str | None:
    return "".join(_texts(given)) or None


def _texts(given: Any) -> Iterator[str]:
    match given:
        case str():
            yield given
        case list():
            for part in given:
                yield from _texts(part)
        case {"content": str() as text}:
            yield text
