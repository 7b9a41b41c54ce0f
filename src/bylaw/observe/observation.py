"""One thing that was seen: what a model was asked, and the calls or the text it answered with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from bylaw.redaction import Redaction, Redactor
from bylaw.wire import CODECS, Request, Response, decode, read_request

_ENOUGH = 10**12
WHOLE = Redaction(most_characters=_ENOUGH, most_items=_ENOUGH, deepest=200, most_in_all=_ENOUGH)
"""Secrets are taken out and nothing is cut: a case that is shortened is another case."""

_OF_REQUESTS = msgspec.structs.replace(WHOLE, more_keys=frozenset({"headers"}))
"""What a provider is to send on to others in our name, such as the headers for a server of tools, is secret whole."""

_SCHEMAS = (
    ("response_format", "json_schema", "schema"),
    ("text", "format", "schema"),
    ("output_format", "schema"),
    ("output_config", "format", "schema"),
    ("responseSchema",),
    ("response_schema",),
    ("responseJsonSchema",),
    ("response_json_schema",),
)
"""Where requests have the schema of the text they want."""

_NORMAL = CODECS["normal"]


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is what it is a case of: observations of one name come to one contract.

    `raw` is the answer as it came, None where it can't be kept. `hidden` has, for each call, the dotted places of its
    arguments whose value is no longer what it was.
    """

    name: str
    request: Request = Request()
    response: Response
    raw: Any = None
    hidden: tuple[tuple[str, ...], ...] = ()

    def hidden_in(self, call: int) -> frozenset[str]:
        return frozenset(self.hidden[call]) if call < len(self.hidden) else frozenset()


def observed(*, name: str, request: Request | Mapping[str, Any], answer: Any) -> Observation:
    """An answer of any provider to a request, without its secrets.

    Raises `NotARequest` or `NotAResponse` where one of them can't be read. Where the answer as it came has a secret
    in it, the normal form alone is kept: taking something out of a provider's text could make it unreadable.
    """
    redactor = Redactor(WHOLE)
    asked = request if isinstance(request, Request) else read_request(dict(request))
    response = answer if isinstance(answer, Response) else decode(answer)
    body = json_data(_NORMAL.encode(response))
    hidden: list[tuple[str, ...]] = []
    for call in body["tool_calls"]:
        call["arguments"], places = redactor.redact_value(call["arguments"])
        hidden.append(places)
    body["content"], changed = redactor.redact_value(body["content"])
    raw = None if changed or any(hidden) or isinstance(answer, Response) else _kept(answer, redactor)
    return Observation(
        name=name, request=_without_secrets(asked, redactor), response=decode(body), raw=raw, hidden=tuple(hidden)
    )


def _without_secrets(asked: Request, redactor: Redactor) -> Request:
    """Schemas stay as they are: a parameter that is called `password` is no secret."""
    body = json_data(_NORMAL.request(asked))
    said = {key: body.pop(key) for key in ("messages", "system") if key in body}
    clean, _ = Redactor(_OF_REQUESTS).redact_value(body)
    for way in _SCHEMAS:
        _put_back(body, clean, way)
    for number in range(len(asked.tools)):
        clean["tools"][number]["parameters"] = body["tools"][number]["parameters"]
    return read_request({**clean, **{key: redactor.redact_value(value)[0] for key, value in said.items()}})


def _put_back(body: Any, clean: Any, way: Sequence[str]) -> None:
    for key in way[:-1]:
        body, clean = (each.get(key) if isinstance(each, dict) else None for each in (body, clean))
    if isinstance(body, dict) and isinstance(clean, dict) and way[-1] in body:
        clean[way[-1]] = body[way[-1]]


def _kept(answer: Any, redactor: Redactor) -> Any:
    if not isinstance(answer, dict | list):
        return None
    clean, changed = redactor.redact_value(json_data(answer))
    return None if changed else clean


def json_data(value: Any) -> Any:
    """A value as it is read back from a file. Half a character is replaced: no JSON text can hold one."""
    try:
        return msgspec.json.decode(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return msgspec.json.decode(msgspec.json.encode(_whole_characters(value)))


def _whole_characters(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_whole_characters(key): _whole_characters(inner) for key, inner in value.items()}
    return [_whole_characters(inner) for inner in value] if isinstance(value, list | tuple) else value
