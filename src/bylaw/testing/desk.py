"""Where requests are met with the script: one place for all conversations and threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from bylaw.language.regex import RegexLimit
from bylaw.testing.matching import fits
from bylaw.testing.received import Received, Refused, Unused, without_secrets
from bylaw.testing.routes import Route
from bylaw.testing.script import Answer, Script
from bylaw.wire import CODECS, Message, NotARequest, Request, Response

Listener = Callable[[Received | Refused], None]


class Desk:
    """Every request and refusal is kept, and told to the listener in the order they came."""

    def __init__(self, script: Script, *, listener: Listener | None = None) -> None:
        self.script = script
        self._listener = listener
        self._lock = threading.Lock()
        self._given = [0] * len(script.answers)
        self._received: list[Received] = []
        self._refused: list[Refused] = []
        self._remembered: dict[str, tuple[Message, ...]] = {}

    def receive(
        self, route: Route, body: dict[str, Any], *, path: str, headers: Mapping[str, str]
    ) -> tuple[Received, Answer | None]:
        """The request as it is kept, and the answer it gets; raises `NotARequest` for what is none."""
        read = CODECS[route.api].read_request(body | ({"model": route.model} if route.model else {}))
        with self._lock:
            request = self._continued(read, body.get("previous_response_id"))
            index = self._next(request, route.api)
            received = Received(
                number=len(self._received) + 1,
                api=route.api,
                path=path,
                streamed=body.get("stream") is True if route.streamed is None else route.streamed,
                request=request,
                body=body,
                headers=without_secrets(headers),
                answer=None if index is None else index + 1,
            )
            self._received.append(received)
            if index is not None:
                self._given[index] += 1
            self._tell(received)
        return received, None if index is None else self.script.answers[index]

    def remember(self, received: Received, response: Response) -> None:
        """What was said so far, for a request that only says which answer it goes on from."""
        said = Message(role="assistant", content=response.content, tool_calls=response.tool_calls)
        with self._lock:
            self._remembered[response.id] = (*received.request.messages, said)

    def refuse(self, refused: Refused) -> None:
        with self._lock:
            self._refused.append(refused)
            self._tell(refused)

    def _tell(self, what: Received | Refused) -> None:
        if self._listener is not None:
            self._listener(what)

    def _next(self, request: Request, api: str) -> int | None:
        for index, answer in enumerate(self.script.answers):
            left = answer.times == "forever" or self._given[index] < answer.times
            try:
                if left and (answer.when is None or fits(answer.when, request, api=api)):
                    return index
            except RegexLimit as error:
                raise NotARequest(f"answer {index + 1} of the script can't be matched: {error}") from error
        return None

    def _continued(self, request: Request, earlier: Any) -> Request:
        if not isinstance(earlier, str):
            return request
        before = self._remembered.get(earlier)
        if before is None:
            raise NotARequest(f"there is no previous response `{earlier}`")
        names = {call.id: call.name for message in before for call in message.tool_calls}
        new = [
            msgspec.structs.replace(message, name=names.get(message.tool_call_id, ""))
            if message.role == "tool" and not message.name
            else message
            for message in request.messages
        ]
        return msgspec.structs.replace(request, messages=(*before, *new))

    @property
    def received(self) -> tuple[Received, ...]:
        with self._lock:
            return tuple(self._received)

    @property
    def refused(self) -> tuple[Refused, ...]:
        with self._lock:
            return tuple(self._refused)

    @property
    def unused(self) -> tuple[Unused, ...]:
        with self._lock:
            given = tuple(self._given)
        return tuple(
            Unused(
                answer=number,
                where=answer.at.span,
                given=count,
                times=None if answer.times == "forever" else answer.times,
            )
            for number, (answer, count) in enumerate(zip(self.script.answers, given, strict=True), 1)
            if count < (1 if answer.times == "forever" else answer.times)
        )
