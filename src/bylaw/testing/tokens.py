"""How many tokens something would be: about one for four characters, as a rule of thumb that always says the same."""

from __future__ import annotations

from collections.abc import Iterable

from bylaw.testing.matching import texts
from bylaw.wire import CallAsked, Request
from bylaw.wire.response import arguments_text, json_text

_CHARACTERS = 4


def tokens_of_request(request: Request) -> int:
    calls = [call for message in request.messages for call in message.tool_calls]
    tools = [json_text([tool.name, tool.description, tool.parameters]) for tool in request.tools]
    return _count([*texts(request), *_asked(calls), *tools])


def tokens_of_answer(text: str | None, calls: Iterable[CallAsked]) -> int:
    return _count([text or "", *_asked(calls)])


def _asked(calls: Iterable[CallAsked]) -> list[str]:
    return [call.name + arguments_text(call.arguments) for call in calls]


def _count(said: Iterable[str]) -> int:
    return max(1, sum(-(-len(text) // _CHARACTERS) for text in said))
