"""The normal form of a model's answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from bylaw.evidence import ToolCall
from bylaw.wire.depth import DEEPEST, deep_text, deep_value


class NotAResponse(ValueError):
    """Something that can't be read as a model's answer; the message says why."""


def only(answers: Sequence[Any], where: str) -> Any:
    """The one answer there is. Of several, each could be the one that is acted on, and only one would be judged."""
    if len(answers) > 1:
        raise NotAResponse(f"`{where}` has {len(answers)} answers; one is judged")
    if not answers:
        raise NotAResponse(f"`{where}` is empty")
    return answers[0]


def place_of(answer: Mapping[str, Any], where: str) -> int:
    """Which of several answers this is, or is a piece of; one that doesn't say is the first."""
    index = answer.get("index")
    if index is None:
        return 0
    if type(index) is not int:
        raise NotAResponse(f"an `index` in `{where}` is not a whole number")
    return index


class CallAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call the model asks for. `arguments` is the parsed object, or what came where that was none.

    A call without a name keeps its place with an empty one: the model did ask for something.
    """

    name: str
    arguments: Any = {}
    id: str = ""


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """`finish_reason` is `stop`, `tool_calls`, `length`, `content_filter` (refusals too) or the provider's own word.

    `usage` has `input_tokens` and `output_tokens`, everything read and written, and `total_tokens`.
    """

    id: str = ""
    model: str = ""
    content: str | None = None
    tool_calls: tuple[CallAsked, ...] = ()
    finish_reason: str | None = None
    usage: Mapping[str, Any] = {}


def answered(
    *,
    id: Any,  # noqa: A002 (the field's name)
    model: Any,
    content: str | None,
    calls: Iterable[CallAsked],
    finish: str | None,
    usage: dict[str, int],
) -> Response:
    """The same answer from every provider.

    An answer that asks for calls ended in order to have them made, whatever the provider calls that, and an empty
    text beside calls is no text.
    """
    asked = tuple(calls)
    if asked:
        content = content or None
        if finish == "stop":
            finish = "tool_calls"
    return Response(
        id=id if isinstance(id, str) else "",
        model=model if isinstance(model, str) else "",
        content=content,
        tool_calls=asked,
        finish_reason=finish,
        usage=usage,
    )


def ending(response: Response) -> str:
    """Why it ended; an answer that doesn't say ended of itself."""
    return response.finish_reason or ("tool_calls" if response.tool_calls else "stop")


def counted(read: Any, written: Any, total: Any = None) -> dict[str, int]:
    """Tokens under their normal names; what was not told is left out."""
    usage: dict[str, int] = {}
    if type(read) is int:
        usage["input_tokens"] = read
    if type(written) is int:
        usage["output_tokens"] = written
    if type(total) is int:
        usage["total_tokens"] = total
    elif len(usage) == 2:
        usage["total_tokens"] = read + written
    return usage


def together(*counts: Any) -> int | None:
    """The sum of those counts that were told, or None where none was."""
    told = [count for count in counts if type(count) is int]
    return sum(told) if told else None


def asked_call(*, name: Any, arguments: Any, id: Any) -> CallAsked:  # noqa: A002 (the field's name)
    return CallAsked(
        name=name if isinstance(name, str) else "",
        arguments=parsed_arguments(arguments),
        id=id if isinstance(id, str) else "",
    )


def parsed_arguments(given: Any) -> Any:
    """Arguments as the object they spell; an empty text is an empty object, anything else stays what it was.

    What is nested deeper than anything that looks at arguments could follow stays text, or is replaced by one.
    """
    if not isinstance(given, str):
        if given is None:
            return {}
        return f"nested more than {DEEPEST} levels deep" if deep_value(given) else given
    if not given.strip():
        return {}
    if deep_text(given):
        return given
    try:
        return msgspec.json.decode(given)
    except (msgspec.DecodeError, ValueError):
        return given


def arguments_text(arguments: Any) -> str:
    """The text that `parsed_arguments` reads as these arguments."""
    if isinstance(arguments, str) and arguments.strip() and parsed_arguments(arguments) is arguments:
        return arguments
    return json_text(arguments)


def arguments_value(arguments: Any) -> Any:
    """For providers that send an object: what is none goes as the text it would have been."""
    return arguments if isinstance(arguments, dict) else arguments_text(arguments)


def json_text(value: Any) -> str:
    """JSON, also for texts that are no Unicode and values that are no JSON."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return json.dumps(value, default=str)


def tool_calls(response: Response) -> tuple[ToolCall, ...]:
    """The calls a response asks for, as evidence.

    Arguments that are no JSON object are kept as they came. A call without a name can't be carried out, whatever its
    arguments: all of it is malformed.
    """
    return tuple([_evidence(call) for call in response.tool_calls])


def _evidence(call: CallAsked) -> ToolCall:
    arguments = call.arguments
    if not call.name:
        text = json_text({"name": call.name, "arguments": arguments})
        return ToolCall(tool="", id=call.id, malformed=text)
    if isinstance(arguments, Mapping):
        return ToolCall(tool=call.name, args=arguments, id=call.id)
    return ToolCall(
        tool=call.name, id=call.id, malformed=arguments if isinstance(arguments, str) else json_text(arguments)
    )
