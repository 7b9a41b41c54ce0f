"""An answer of the script as bytes on the wire, in the shape of the API that was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from bylaw.testing.malformed import as_google_answers
from bylaw.testing.received import Received
from bylaw.testing.script import Answer
from bylaw.testing.tokens import tokens_of_answer, tokens_of_request
from bylaw.testing.verbatim import Verbatim
from bylaw.wire import CODECS, CallAsked, Codec, Failure, Response, failure_in
from bylaw.wire.response import json_text

JSON = "application/json"
STREAM = "text/event-stream"

_IDS = {"openai_chat": "chatcmpl", "openai_responses": "resp", "anthropic_messages": "msg", "gemini": "answer"}
_WORDS: Mapping[str, Mapping[int, str]] = {
    "openai_chat": {401: "invalid_api_key", 404: "not_found"},
    "openai_responses": {401: "invalid_api_key", 404: "not_found"},
    "anthropic_messages": {
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        529: "overloaded_error",
    },
    "gemini": {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 503: "UNAVAILABLE"},
}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """`pieces` are sent one by one; what is `dropped` has its connection closed behind them.

    A `length` is told where the body has one, which need not be what is sent of it.
    """

    status: int = 200
    media: str = JSON
    headers: Mapping[str, str] = {}
    pieces: tuple[bytes, ...] = ()
    length: int | None = None
    ends: Literal["whole", "dropped", "unsent"] = "whole"
    delay_ms: int = 0


def reply(answer: Answer, received: Received) -> tuple[Reply, Response | None]:
    """What is sent, and the answer in normal form where it is one."""
    headers = dict.fromkeys(("x-request-id", "request-id"), f"req_{received.number}")
    response: Response | None = None
    if answer.status is not None:
        sent = _error(answer, answer.status, received)
    elif answer.junk is not None:
        sent = _junk(answer.junk, received)
    elif answer.text is None and not answer.tool_calls:
        sent = Reply(ends="unsent")
    else:
        response = _response(answer, received)
        sent = _ending(answer, _answer(response, Verbatim.of(answer), received))
    return msgspec.structs.replace(sent, delay_ms=answer.delay_ms, headers={**headers, **sent.headers}), response


def refusal(api: str, status: int, message: str, *, word: str = "", retry_after: float | None = None) -> Reply:
    """An error in the shape of an API."""
    failure = failure_in(None, status=status)
    assert failure is not None
    word = word or _WORDS[api].get(status, "")
    told = msgspec.structs.replace(failure, message=message, word=word, retry_after=retry_after)
    return data(CODECS[api].refuse(told), status=status, headers=_waiting(told))


def data(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return whole(json_text(value).encode(), status=status, headers=headers)


def whole(body: bytes, *, status: int = 200, media: str = JSON, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status=status, media=media, headers=headers or {}, pieces=(body,), length=len(body))


def _bytes(text: str) -> bytes:
    """Also of texts that are no Unicode."""
    return text.encode("utf-8", "replace")


def _waiting(failure: Failure) -> dict[str, str]:
    return {} if failure.retry_after is None else {"retry-after": f"{failure.retry_after:g}"}


def _junk(text: str, received: Received) -> Reply:
    """In a stream it is an event; the name is one that the client would not pass over."""
    if not received.streamed:
        return whole(_bytes(text))
    name = "event: message_start\n" if received.api == "anthropic_messages" else ""
    return whole(_bytes(f"{name}data: {text}\n\n"), media=STREAM)


def _error(answer: Answer, status: int, received: Received) -> Reply:
    message = f"the script answers with {status}" if answer.message is None else answer.message
    said = refusal(received.api, status, message, word=answer.error or "", retry_after=answer.retry_after)
    if answer.junk is None:
        return said
    media = "text/html" if answer.junk.lstrip().startswith("<") else "text/plain"
    return whole(_bytes(answer.junk), status=status, media=media, headers=said.headers)


def _response(answer: Answer, received: Received) -> Response:
    calls = tuple(
        CallAsked(
            name=call.name,
            arguments=dict(call.arguments) if call.raw_arguments is None else call.raw_arguments,
            id=call.id or f"call_{received.number}_{index}",
        )
        for index, call in enumerate(answer.tool_calls, 1)
    )
    if answer.usage is None:
        read, written = tokens_of_request(received.request), tokens_of_answer(answer.text, calls)
    else:
        read, written = answer.usage.input_tokens, answer.usage.output_tokens
    return Response(
        id=f"{_IDS[received.api]}_{received.number}",
        model=received.request.model,
        content=answer.text,
        tool_calls=calls,
        finish_reason=answer.finish_reason,
        usage={"input_tokens": read, "output_tokens": written, "total_tokens": read + written},
    )


def _answer(response: Response, verbatim: Verbatim, received: Received) -> Reply:
    codec = CODECS[received.api]
    complaint: dict[str, Any] = {}
    if received.api == "gemini":
        response, complaint = as_google_answers(response)
    elif received.api == "openai_chat" and received.streamed and not _wants_usage(received.body):
        response = msgspec.structs.replace(response, usage={})
    marked = verbatim.marked(response)
    written = [
        verbatim.restored(raw) for raw in (codec.stream(marked) if received.streamed else [codec.encode(marked)])
    ]
    if complaint:
        written[-1]["candidates"][0] |= complaint
    if not received.streamed:
        return data(written[0])
    if received.api == "gemini" and "alt=sse" not in received.path:
        return Reply(pieces=tuple(_listed(written)))
    return Reply(media=STREAM, pieces=tuple(_frames(codec, written)))


def _wants_usage(body: Any) -> bool:
    match body:
        case {"stream_options": {"include_usage": True}}:
            return True
    return False


def _frames(codec: Codec, events: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    return (frame.encode() for frame in codec.frames(events))


def _listed(events: list[dict[str, Any]]) -> Iterator[bytes]:
    """Google streams one JSON list to those who don't ask for events."""
    for number, event in enumerate(events):
        yield f"{',' if number else '['}{json_text(event)}\n".encode()
    yield b"]"


def _ending(answer: Answer, sent: Reply) -> Reply:
    """A stream is broken off between two of its pieces, a body in the middle."""
    if not answer.cut and answer.drop is None:
        return sent
    pieces = sent.pieces
    if sent.length is None:
        pieces = pieces[: max(1, len(pieces) // 2)]
    else:
        pieces = (pieces[0][: len(pieces[0]) // 2],)
    if answer.cut:
        length = None if sent.length is None else len(pieces[0])
        return msgspec.structs.replace(sent, pieces=pieces, length=length)
    return msgspec.structs.replace(sent, pieces=pieces, ends="dropped")
