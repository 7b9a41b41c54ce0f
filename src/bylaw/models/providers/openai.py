"""OpenAI, by either of its APIs, and every server that speaks chat completions."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from bylaw.errors import Misuse
from bylaw.models.provider import client_library
from bylaw.models.providers.generated import Create, GeneratedConnection
from bylaw.wire import CODECS, Codec, Request

_BASE_URL = "OPENAI_BASE_URL"


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    """`compatible` servers have no address of their own; a key for OpenAI is none of theirs."""

    name: str = "openai"
    compatible: bool = False

    @property
    def codec(self) -> Codec:
        return CODECS["openai_chat"]

    @property
    def key_variables(self) -> tuple[str, ...]:
        return () if self.compatible else ("OPENAI_API_KEY",)

    @property
    def keyless(self) -> bool:
        return self.compatible

    def connect(self, *, key: str, base_url: str | None) -> GeneratedConnection:
        if self.compatible and not base_url and not os.environ.get(_BASE_URL):
            raise Misuse(f"`{self.name}` needs the server's address: give `base_url` or set `{_BASE_URL}`")
        library = client_library("openai", extra="openai")
        client = library.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0)
        create = client.chat.completions.with_streaming_response.create
        return ChatConnection(library, client, create, codec=self.codec, by_name=("model", "messages"))


class ChatConnection(GeneratedConnection):
    async def send(self, request: Request, /, *, stream: bool, seconds: float) -> bytes:
        if stream:
            counted = {"stream_options": {"include_usage": True}, **request.extra}
            request = msgspec.structs.replace(request, extra=counted)
        return await super().send(request, stream=stream, seconds=seconds)


class Responses(msgspec.Struct, frozen=True, kw_only=True):
    name: str = "openai-responses"
    key_variables: tuple[str, ...] = ("OPENAI_API_KEY",)
    keyless: bool = False

    @property
    def codec(self) -> Codec:
        return CODECS["openai_responses"]

    def connect(self, *, key: str, base_url: str | None) -> GeneratedConnection:
        library = client_library("openai", extra="openai")
        client: Any = library.AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0)
        create: Create = client.responses.with_streaming_response.create
        return GeneratedConnection(library, client, create, codec=self.codec, by_name=("model", "input"))
