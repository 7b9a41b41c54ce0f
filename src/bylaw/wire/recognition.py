"""Whose answer something is, and the answer in normal form."""

from __future__ import annotations

from typing import Any

from bylaw.wire import anthropic_messages, gemini, normal, openai_chat, openai_responses
from bylaw.wire.codec import Codec
from bylaw.wire.failure import ProviderFailed, failure_in
from bylaw.wire.objects import as_data
from bylaw.wire.recordings import Envelope, opened, parsed
from bylaw.wire.response import NotAResponse, Response

_KNOWN: tuple[Codec, ...] = (openai_chat, openai_responses, gemini, anthropic_messages, normal)
CODECS: dict[str, Codec] = {codec.name: codec for codec in _KNOWN}
_MOST_ENVELOPES = 6


def decode(raw: Any, *, provider: str | None = None) -> Response:
    """An answer of any provider, as it came or as it was kept: by its shape.

    With `provider`, the name of a provider or of one of its APIs, another's is refused; the normal form is anybody's.
    """
    if type(raw) is dict:
        for codec in _KNOWN:
            if codec.recognises(raw):
                return codec.decode(_of(provider, codec, raw))
    codec, whole = _found(raw)
    return codec.decode(_of(provider, codec, whole))


def whose(raw: Any) -> str | None:
    """The name of the API whose answer this looks like, or None."""
    try:
        return _found(raw)[0].name
    except NotAResponse:
        return None


def _of(provider: str | None, codec: Codec, raw: dict[str, Any]) -> dict[str, Any]:
    if provider is None or codec is normal or provider in (codec.name, codec.provider):
        return raw
    raise NotAResponse(f"this is not a response of `{provider}`: it looks like one of `{codec.name}`")


def _found(raw: Any) -> tuple[Codec, dict[str, Any]]:
    """Whose it is and the whole answer, with every envelope around it opened."""
    around = Envelope(inside=raw)
    for _ in range(_MOST_ENVELOPES):
        inside = _data(around)
        if isinstance(inside, list):
            return _assembled(inside, around)
        for codec in _KNOWN:
            if codec.recognises(inside):
                return codec, inside
        failure = failure_in(inside, status=around.status, headers=around.headers)
        if failure is not None:
            raise ProviderFailed(failure)
        if any(codec.recognises_event(inside) for codec in _KNOWN):
            raise NotAResponse("this is one event of a stream: the recording is cut off")
        envelope = opened(inside)
        if envelope is None:
            raise NotAResponse(f"not a response of a known provider: it has {_keys(inside)}")
        status = around.status if envelope.status is None else envelope.status
        around = Envelope(inside=envelope.inside, status=status, headers=envelope.headers or around.headers)
    raise NotAResponse("there is no response in it, only envelopes in envelopes")


def _data(around: Envelope) -> dict[str, Any] | list[Any]:
    inside = around.inside
    try:
        if isinstance(inside, str | bytes):
            inside = parsed(inside)
        if not isinstance(inside, dict | list):
            inside = as_data(inside)
        if not isinstance(inside, dict | list):
            raise NotAResponse("a response is a JSON object")
    except NotAResponse:
        text = inside if isinstance(inside, str) else None
        failure = failure_in(text, status=around.status, headers=around.headers)
        if failure is not None:
            raise ProviderFailed(failure) from None
        raise
    return inside


def _assembled(events: list[Any], around: Envelope) -> tuple[Codec, dict[str, Any]]:
    """The whole answer that a list of chunks or events comes to."""
    given = [event if type(event) is dict else as_data(event) for event in events]
    if not given or not all(isinstance(event, dict) for event in given):
        raise NotAResponse("a response is a JSON object, or the events of a stream")
    codec = next((codec for event in given for codec in _KNOWN if codec.recognises_event(event)), None)
    if codec is None:
        return _alone(given, around)
    whole = codec.assemble(given)
    failure = None if codec.recognises(whole) else failure_in(whole, status=around.status, headers=around.headers)
    if failure is not None:
        raise ProviderFailed(failure)
    return codec, whole


def _alone(given: list[dict[str, Any]], around: Envelope) -> tuple[Codec, dict[str, Any]]:
    for event in given:
        failure = failure_in(event, status=around.status, headers=around.headers)
        if failure is not None:
            raise ProviderFailed(failure)
    if len(given) > 1:
        raise NotAResponse(f"{len(given)} values, and no events of a known provider's stream among them")
    return _found(given[0])


def _keys(raw: dict[str, Any]) -> str:
    named = ", ".join(f"`{key}`" for key in list(raw)[:6])
    return f"the keys {named}" if named else "no keys"
