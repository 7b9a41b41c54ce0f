"""What an application holds in its hands, as evidence: an answer of any client, and what was asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import msgspec

from bylaw.evidence import Evidence, ModelCall, ModelFailure
from bylaw.formats.packs.recorded import evidence_of
from bylaw.wire import NotARequest, NotAResponse, as_data, read_request

NOT_SENT = frozenset({"extra_headers", "extra_query", "timeout"})
"""What a client's method takes beside the body. Headers may hold keys, so nothing here looks at them."""

UNREADABLE = "invalid_response"

_NOT_GIVEN = "the request was not given, so nothing can be said of it"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request as data; `unknown` says why there is none."""

    body: Mapping[str, Any] = {}
    unknown: str = ""

    @classmethod
    def of(cls, request: Mapping[str, Any] | None) -> Self:
        if request is None:
            return cls(unknown=_NOT_GIVEN)
        try:
            return cls(body=request_data(request))
        except Exception as error:  # noqa: BLE001 - objects of the caller's: whatever they raise becomes a finding
            return cls(unknown=f"the request can't be read: {error}")

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools on offer; none where the request can't be read."""
        try:
            return frozenset(tool.name for tool in read_request(dict(self.body)).tools)
        except NotARequest:
            return frozenset()


def sent(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a client's method with those of `extra_body` among them, as the client puts them."""
    more = keywords.get("extra_body")
    return {**keywords, **more} if isinstance(more, Mapping) else dict(keywords)


def request_data(request: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a client's method as the body they stand for; what is no data was not sent."""
    body: dict[str, Any] = {}
    for key, value in sent(request).items():
        if key in NOT_SENT or key == "extra_body":
            continue
        try:
            body[key] = as_data(value)
        except NotAResponse:  # a mark for "not given", or a class
            continue
    return body


def answer_evidence(response: Any, asked: Asked) -> Evidence:
    """What can't be read as an answer is a failure of the model's, of the class `invalid_response`."""
    try:
        return evidence_of(asked.body, response)
    except NotAResponse as error:
        return unreadable(str(error), asked)
    except Exception as error:  # noqa: BLE001 - an object of the caller's may raise anything when it is looked at
        return unreadable(f"`{type(response).__name__}` can't be read: {error!r}", asked)


def unreadable(why: str, asked: Asked) -> Evidence:
    failure = ModelFailure(kind=UNREADABLE, message=why)
    return Evidence(events=(ModelCall(request=asked.body, failure=failure),))
