"""One HTTP request in, one reply out; without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.testing.desk import Desk
from bylaw.testing.listing import models_listed, one_model
from bylaw.testing.received import Refused, without_key
from bylaw.testing.replies import Reply, data, refusal, reply
from bylaw.testing.routes import Route, find_route, likely_api
from bylaw.testing.tokens import tokens_of_request
from bylaw.wire import CODECS, NotARequest
from bylaw.wire.depth import deep_value

LARGEST_BODY = 32 * 1024 * 1024


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """Header names are in lower case; `body` is None where it is larger than anything that is read."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = {}
    body: bytes | None = b""


def answer(desk: Desk, incoming: Incoming) -> Reply:
    route = find_route(incoming.method, incoming.path, incoming.headers)
    if route is None:
        api = likely_api(incoming.path, incoming.headers)
        return _refused(desk, incoming, api, 404, "a scripted model knows no such address")
    if route.question == "models":
        return data(models_listed(desk.script, route.api))
    if route.question == "model":
        return data(one_model(route.model, route.api))
    try:
        body = _parsed(incoming.body)
        return _count(route, body) if route.question == "count" else _answer(desk, route, body, incoming)
    except NotARequest as error:
        return _refused(desk, incoming, route.api, 400, str(error))


def _parsed(body: bytes | None) -> dict[str, Any]:
    if body is None:
        raise NotARequest(f"the body is larger than {LARGEST_BODY // 1024 // 1024} MiB")
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError) as error:
        raise NotARequest(f"the body is not JSON: {error}") from error
    except RecursionError as error:
        raise NotARequest("the body is nested too deep") from error
    if not isinstance(value, dict):
        raise NotARequest("a request is a JSON object")
    if deep_value(value):
        raise NotARequest("the body is nested too deep")
    return value


def _answer(desk: Desk, route: Route, body: dict[str, Any], incoming: Incoming) -> Reply:
    path = incoming.path + (f"?{without_key(incoming.query)}" if incoming.query else "")
    received, chosen = desk.receive(route, body, path=path, headers=incoming.headers)
    if chosen is None:
        return refusal(route.api, 400, f"no answer of the script is left that fits {received}")
    sent, response = reply(chosen, received)
    if response is not None and route.api == "openai_responses":
        desk.remember(received, response)
    return sent


def _count(route: Route, body: dict[str, Any]) -> Reply:
    inner = body.get("generateContentRequest")
    request = CODECS[route.api].read_request(inner if isinstance(inner, dict) else body)
    tokens = tokens_of_request(request)
    return data({"totalTokens": tokens} if route.api == "gemini" else {"input_tokens": tokens})


def _refused(desk: Desk, incoming: Incoming, api: str, status: int, reason: str) -> Reply:
    desk.refuse(Refused(method=incoming.method, path=incoming.path, status=status, reason=reason))
    return refusal(api, status, reason)
