"""Runs as LangSmith exports them, as steps of a trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from bylaw.evidence import Answer, ModelFailure
from bylaw.observe.traces.said import NO_CONTENT, first, numbered_id, one_of_several, parsed, request_of, response_of
from bylaw.observe.traces.trace import NO_NAME, ModelStep, ToolStep, Unusable
from bylaw.wire import NotAResponse, Response, decode
from bylaw.wire.response import counted, json_text

_ASKED = ("system", "instructions", "input", "tools", "tool_choice", "temperature", "max_tokens")
_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}
_CLASSES = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
}


def is_run(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("run_type"), str)


def runs_in(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A run and those that were started inside it, where an export has them there."""
    yield value
    inner = value.get("child_runs")
    for run in inner if isinstance(inner, list) else ():
        if isinstance(run, Mapping) and is_run(run):
            yield from runs_in(run)


def steps_of(run: Mapping[str, Any]) -> Sequence[ModelStep | ToolStep | Unusable]:
    """None for a run of something else, and one for each answer. Raises `Unusable` for one that tells too little."""
    match run.get("run_type"):
        case "llm":
            return _model(run)
        case "tool":
            return [_tool(run)]
    return []


def _model(run: Mapping[str, Any]) -> list[ModelStep | Unusable]:
    inputs, outputs = _object(run, "inputs"), _object(run, "outputs")
    settings = _object(_object(run, "extra"), "invocation_params")
    messages = inputs.get("messages")
    if isinstance(messages, list) and messages and isinstance(messages[0], list):
        messages = messages[0]
    said = {**settings, **inputs}
    request = request_of(
        {
            "model": first([said.get("model"), said.get("model_name")]),
            "messages": [_message(each) for each in messages] if isinstance(messages, list) else None,
            **{
                key: said.get(key) for key in ("system", "tools", "tool_choice", "temperature", "max_tokens", "input")
            },
        }
    )
    error = run.get("error")
    if not outputs:
        if isinstance(error, str) and error:
            failure = ModelFailure(kind="server_error", message=error)
            return [ModelStep(id=_id(run), request=request, failure=failure)]
        raise Unusable(NO_CONTENT)

    def step(number: int, answer: Mapping[str, Any]) -> ModelStep:
        return ModelStep(id=numbered_id(_id(run), number), request=request, response=_response(answer))

    return [one_of_several(partial(step, number, answer)) for number, answer in enumerate(_each(outputs), 1)]


def _each(outputs: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The outputs once for each answer that they have."""
    match outputs:
        case {"generations": [[_, _, *_] as several]}:
            return [{**outputs, "generations": [[generation]]} for generation in several]
        case {"generations": [_, _, *_] as several}:
            return [each for one in several for each in _each({**outputs, "generations": [one]})]
        case {"choices": [_, _, *_] as several}:
            return [{**outputs, "choices": [choice]} for choice in several]
        case {"candidates": [_, _, *_] as several}:
            return [{**outputs, "candidates": [candidate]} for candidate in several]
        case {"output": dict() as inner}:
            return _each(inner)
    return [outputs]


def _response(outputs: Mapping[str, Any]) -> Response:
    """A generation of LangChain's, or the answer of a provider as it came."""
    match outputs:
        case {"generations": [[dict() as generation, *_], *_]} | {"generations": [dict() as generation, *_]}:
            return _generated(generation)
        case {"messages": [*_, dict() as message]} | {"message": dict() as message}:
            return _answer(message)
    if "lc" in outputs or outputs.get("type") in _ROLES:
        return _answer(outputs)
    try:
        return decode(dict(outputs))
    except NotAResponse as error:
        raise Unusable(f"a model call whose answer can't be read: {error}") from error


def _generated(generation: Mapping[str, Any]) -> Response:
    message = generation.get("message")
    about = _object(generation, "generation_info")
    if isinstance(message, Mapping):
        return _answer(message, ending=about.get("finish_reason"))
    return response_of({"content": generation.get("text")}, finish_reason=about.get("finish_reason"))


def _answer(message: Mapping[str, Any], ending: Any = None) -> Response:
    fields = _fields(message)
    about, usage = _object(fields, "response_metadata"), _object(fields, "usage_metadata")
    return response_of(
        _message(message),
        id=first([about.get("id"), fields.get("id")]),
        model=first([about.get("model_name"), about.get("model")]),
        finish_reason=first([ending, about.get("finish_reason"), about.get("stop_reason")]),
        usage=counted(usage.get("input_tokens"), usage.get("output_tokens"), usage.get("total_tokens")),
    )


def _fields(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message that was serialised has its fields in `kwargs` or in `data`."""
    for key in ("kwargs", "data"):
        if isinstance(message.get(key), Mapping):
            return {**message, **message[key]}
    return message


def _message(message: Any) -> Any:
    """A message of LangChain's as one of a request; that of a provider stays as it is."""
    if not isinstance(message, Mapping):
        return message
    fields = _fields(message)
    role = _role(message, fields)
    if role is None:
        return dict(message)
    content, calls = fields.get("content"), _calls(fields)
    if calls and isinstance(content, list):
        content = [part for part in content if not (isinstance(part, Mapping) and part.get("type") == "tool_use")]
    if calls and not content:
        content = None
    found = {"role": role, "content": content, "tool_calls": calls}
    if role == "tool":
        found |= {"tool_call_id": fields.get("tool_call_id"), "name": fields.get("name")}
    return found


def _role(message: Mapping[str, Any], fields: Mapping[str, Any]) -> str | None:
    """The role of a message of LangChain's; None for one of somebody else's."""
    if "role" in message and "lc" not in message:
        return None
    names = message.get("id")
    if "lc" in message and isinstance(names, list) and names and names[-1] in _CLASSES:
        return _CLASSES[names[-1]]
    kind = fields.get("type")
    return _ROLES.get(kind, kind) if isinstance(kind, str) else None


def _calls(fields: Mapping[str, Any]) -> list[Any]:
    """The calls as they were read, those that could not be, or the provider's own where neither is there."""
    read = [call for call in _list(fields, "tool_calls") if isinstance(call, Mapping)]
    unread = [call for call in _list(fields, "invalid_tool_calls") if isinstance(call, Mapping)]
    return [*read, *unread] or _list(_object(fields, "additional_kwargs"), "tool_calls")


def _tool(run: Mapping[str, Any]) -> ToolStep:
    name = run.get("name")
    if not isinstance(name, str) or not name:
        raise Unusable(NO_NAME)
    output = _object(run, "outputs").get("output")
    fields = _fields(output) if isinstance(output, Mapping) else {}
    call = first([fields.get("tool_call_id"), _object(run, "inputs").get("tool_call_id")])
    error = run.get("error")
    return ToolStep(
        id=_id(run),
        tool=name,
        call=call if isinstance(call, str) else "",
        arguments=_arguments(_object(run, "inputs")),
        answer=Answer(raised=error)
        if isinstance(error, str) and error
        else _given(first([fields.get("content"), output])),
    )


def _arguments(inputs: Mapping[str, Any]) -> Any:
    """The arguments, by name or as one text of JSON; how Python shows them is no way to read them back."""
    if set(inputs) == {"input"}:
        found = parsed(inputs["input"])
        return found if isinstance(found, dict) else None
    return dict(inputs) or None


def _given(output: Any) -> Answer | None:
    return None if output is None else Answer(text=output if isinstance(output, str) else json_text(output))


def _id(run: Mapping[str, Any]) -> str:
    return str(run.get("id") or "")


def _object(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []
