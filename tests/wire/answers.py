"""Answers and requests that every provider can express, made up by Hypothesis."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st

from bylaw.wire import CallAsked, Message, Request, Response, Tool

NAMES = ["openai_chat", "openai_responses", "anthropic_messages", "gemini", "normal"]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
words = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
data: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, data, max_size=3)
malformed = st.sampled_from(["{", "not json", '{"a": ', "{'a': 1}", "5", '"text"', "null", " x ", ""]) | st.lists(
    data, max_size=2
)
usages = st.builds(
    lambda read, wrote: {"input_tokens": read, "output_tokens": wrote, "total_tokens": read + wrote},
    st.integers(0, 10**6),
    st.integers(0, 10**6),
)


@st.composite
def answers(draw: st.DrawFn, arguments: st.SearchStrategy[Any] = objects | malformed) -> Response:
    """An empty text beside calls is no text, and whoever asks for calls ends to have them made."""
    calls = st.builds(CallAsked, name=words, arguments=arguments, id=words)
    asked = draw(st.lists(calls, max_size=3, unique_by=lambda call: call.id))
    content = draw(st.none() | (texts.filter(bool) if asked else texts))
    whole = "tool_calls" if asked else "stop"
    return Response(
        id=draw(words),
        model=draw(words),
        content=content,
        tool_calls=tuple(asked),
        finish_reason=draw(st.sampled_from([whole, "length", "content_filter"])),
        usage=draw(usages),
    )


tools = st.builds(
    Tool,
    name=words,
    description=texts,
    parameters=st.builds(
        lambda properties: {"type": "object", "properties": properties},
        st.dictionaries(words, st.sampled_from([{"type": "string"}, {"type": "integer", "minimum": 1}]), max_size=2),
    ),
)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Turns of a user and an assistant, whose calls are all answered before the user speaks again."""
    said: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(1, 3))):
        said.append(Message(role="user", content=draw(texts.filter(bool))))
        asked = [
            CallAsked(name=name, arguments=arguments, id=f"call_{number + index}")
            for index, (name, arguments) in enumerate(draw(st.lists(st.tuples(words, objects), max_size=2)), 1)
        ]
        number += len(asked)
        content = draw(texts.filter(bool) if not asked else st.none() | texts.filter(bool))
        said.append(Message(role="assistant", content=content, tool_calls=tuple(asked)))
        said += [
            Message(role="tool", content=draw(texts.filter(_no_object)), tool_call_id=call.id, name=call.name)
            for call in asked
        ]
    return tuple(said)


def _no_object(text: str) -> bool:
    """Spelled one way only, whichever provider carries it."""
    try:
        return not isinstance(msgspec.json.decode(text), dict)
    except msgspec.DecodeError:
        return True


requests = st.builds(
    Request,
    model=words,
    system=st.none() | texts,
    messages=conversations(),
    tools=st.lists(tools, max_size=2, unique_by=lambda tool: tool.name).map(tuple),
    tool_choice=st.none() | st.sampled_from(["auto", "none", "required", "get_weather"]),
    temperature=st.none() | st.floats(0, 2),
    max_tokens=st.integers(1, 10**5),
    top_p=st.none() | st.floats(0, 1),
)
