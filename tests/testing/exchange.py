"""A scripted model over plain HTTP, without anybody's client."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from bylaw.testing import ScriptedModel


class Got(msgspec.Struct, frozen=True, kw_only=True):
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


def send(
    model: ScriptedModel,
    path: str,
    body: bytes | None,
    *,
    method: str = "POST",
    headers: Mapping[str, str] | None = None,
) -> Got:
    connection = http.client.HTTPConnection(urlsplit(model.url).netloc, timeout=30)
    try:
        connection.request(method, path, body=body, headers=dict(headers or {}))
        answer = connection.getresponse()
        return Got(status=answer.status, headers=dict(answer.getheaders()), body=answer.read())
    finally:
        connection.close()


def post(model: ScriptedModel, path: str, value: Any, *, headers: Mapping[str, str] | None = None) -> Got:
    return send(model, path, msgspec.json.encode(value), headers=headers)


def chat(model: ScriptedModel, /, *messages: Any, **more: Any) -> str | None:
    """What it says to this conversation, or None where no answer fits."""
    said = [{"role": "user", "content": message} if isinstance(message, str) else message for message in messages]
    got = post(model, "/v1/chat/completions", {"model": "m", "messages": said, **more})
    if got.status == 400:
        return None
    content: str = got.json["choices"][0]["message"]["content"]
    return content
