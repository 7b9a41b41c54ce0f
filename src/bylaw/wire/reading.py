"""A request in any provider's shape, in normal form."""

from __future__ import annotations

from typing import Any

from bylaw.wire.conversation import read_messages
from bylaw.wire.depth import deep_value
from bylaw.wire.request import Message, NotARequest, Request
from bylaw.wire.toolbox import read_choice, read_tools

_MESSAGES = ("messages", "input", "contents")
_SYSTEM = ("system", "instructions", "systemInstruction", "system_instruction")
_CHOICE = ("tool_choice", "toolConfig", "tool_config")
_MOST = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
_TOP = ("top_p", "topP")
_STOP = ("stop", "stop_sequences", "stopSequences")
_WITHIN = ("generationConfig", "generation_config", "config")
"""Where Google's body and its client keep the settings."""

_READ = frozenset({"model", "tools", "temperature", *_MESSAGES, *_SYSTEM, *_CHOICE, *_MOST, *_TOP, *_STOP, *_WITHIN})


def read_request(body: Any) -> Request:
    """The providers' shapes have no word in common that means different things, so nobody has to say whose it is."""
    if not isinstance(body, dict):
        raise NotARequest("a request is a JSON object")
    settings = dict(body)
    for key in _WITHIN:
        if isinstance(body.get(key), dict):
            settings |= body[key]
    extra = {key: value for key, value in settings.items() if key not in _READ}
    if any(deep_value(_first(settings, *names)) for names in (_SYSTEM, _CHOICE)):
        raise NotARequest("the request is nested too deep")
    choice = read_choice(_first(settings, *_CHOICE))
    if choice is None:
        extra |= {key: settings[key] for key in _CHOICE if settings.get(key) is not None}
    if deep_value(extra):
        raise NotARequest("the request is nested too deep")
    functions, others = read_tools(_first(settings, "tools"))
    given = _first(settings, *_MESSAGES)
    system, messages = _apart(_first(settings, *_SYSTEM), () if given is None else read_messages(given))
    return Request(
        model=_model(settings.get("model")),
        system=system,
        messages=messages,
        tools=functions,
        tool_choice=choice,
        temperature=_number(settings.get("temperature")),
        max_tokens=_whole(_first(settings, *_MOST)),
        top_p=_number(_first(settings, *_TOP)),
        stop=_stop(_first(settings, *_STOP)),
        provider_tools=others,
        extra=extra,
    )


def _first(settings: dict[str, Any], *names: str) -> Any:
    return next((settings[name] for name in names if settings.get(name) is not None), None)


def _apart(given: Any, messages: tuple[Message, ...]) -> tuple[str | None, tuple[Message, ...]]:
    """What the system is told before everything else, and the conversation."""
    said = [] if given is None else [_system_text(given)]
    first = 0
    while first < len(messages) and messages[first].role == "system" and not messages[first].parts:
        said.append(messages[first].content or "")
        first += 1
    return "\n\n".join(said) if said else None, messages[first:]


def _system_text(given: Any) -> str:
    match given:
        case str():
            return given
        case {"parts": list() as parts} | list(parts):
            return "".join(_system_text(part) for part in parts)
        case {"text": str() as text} | {"parts": {"text": str() as text}}:
            return text
        case _:
            raise NotARequest("what the system is told is not text")


def _model(given: Any) -> str:
    return given.removeprefix("models/") if isinstance(given, str) else ""


def _number(given: Any) -> float | None:
    return given if isinstance(given, int | float) and not isinstance(given, bool) else None


def _whole(given: Any) -> int | None:
    return given if type(given) is int else None


def _stop(given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    return tuple(text for text in given if isinstance(text, str)) if isinstance(given, list) else ()
