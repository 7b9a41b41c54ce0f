"""Anthropic's messages."""

from bylaw.wire.anthropic_messages.answers import decode, encode, recognises, refuse
from bylaw.wire.anthropic_messages.requests import keywords, request
from bylaw.wire.anthropic_messages.streams import assemble, frames, recognises_event, stream
from bylaw.wire.reading import read_request

name = "anthropic_messages"
provider = "anthropic"

__all__ = [
    "assemble",
    "decode",
    "encode",
    "frames",
    "keywords",
    "name",
    "provider",
    "read_request",
    "recognises",
    "recognises_event",
    "refuse",
    "request",
    "stream",
]
