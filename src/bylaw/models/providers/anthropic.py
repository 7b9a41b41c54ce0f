"""Anthropic's messages."""

from __future__ import annotations

import msgspec

from bylaw.models.provider import client_library
from bylaw.models.providers.generated import GeneratedConnection
from bylaw.wire import CODECS, Codec


class Messages(msgspec.Struct, frozen=True, kw_only=True):
    name: str = "anthropic"
    key_variables: tuple[str, ...] = ("ANTHROPIC_API_KEY",)
    keyless: bool = False

    @property
    def codec(self) -> Codec:
        return CODECS["anthropic_messages"]

    def connect(self, *, key: str, base_url: str | None) -> GeneratedConnection:
        library = client_library("anthropic", extra="anthropic")
        client = library.AsyncAnthropic(api_key=key, base_url=base_url, max_retries=0)
        create = client.messages.with_streaming_response.create
        return GeneratedConnection(
            library, client, create, codec=self.codec, by_name=("model", "messages", "max_tokens")
        )
