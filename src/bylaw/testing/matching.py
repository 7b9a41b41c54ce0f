"""Whether an answer of a script is meant for a request."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import groupby

from bylaw.testing.script import When
from bylaw.wire import Message, Request


def fits(when: When, request: Request, *, api: str) -> bool:
    return all(_conditions(when, request, api))


def _conditions(when: When, request: Request, api: str) -> Iterator[bool]:
    if when.api is not None:
        yield when.api == api
    if when.model is not None:
        yield fnmatchcase(request.model, when.model)
    if when.turn is not None:
        yield when.turn == turn(request)
    if when.tools:
        yield {tool.name for tool in request.tools} >= set(when.tools)
    if when.contains is not None:
        yield when.contains in last_said(request)
    if when.tool_result is not None:
        yield any(message.name == when.tool_result for message in new_results(request))
    if when.result_contains is not None:
        yield any(when.result_contains in (message.content or "") for message in new_results(request))
    if when.system_contains is not None:
        yield any(when.system_contains in text for text in _told_to_the_system(request))
    if when.anywhere is not None:
        yield any(when.anywhere in text for text in texts(request))
    if when.matches is not None:
        yield when.matches.search(last_said(request))


def turn(request: Request) -> int:
    """Which answer of the conversation is asked for: one more than the model has given.

    What the assistant says last of all was begun by the user for the model to go on with.
    """
    answered = [by_model for by_model, _ in groupby(request.messages, lambda message: message.role == "assistant")]
    return 1 + answered[:-1].count(True)


def last_said(request: Request) -> str:
    said = (message.content for message in reversed(request.messages) if message.role == "user")
    return next((text for text in said if text is not None), "")


def new_results(request: Request) -> list[Message]:
    """The results of tools that the model has not yet spoken about."""
    found: list[Message] = []
    for message in reversed(request.messages):
        if message.role == "assistant":
            break
        if message.role == "tool":
            found.append(message)
    return found[::-1]


def texts(request: Request) -> Iterator[str]:
    if request.system is not None:
        yield request.system
    yield from (message.content for message in request.messages if message.content is not None)


def _told_to_the_system(request: Request) -> Iterator[str]:
    if request.system is not None:
        yield request.system
    yield from (message.content or "" for message in request.messages if message.role == "system")
