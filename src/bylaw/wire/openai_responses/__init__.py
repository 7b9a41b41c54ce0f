"""OpenAI's responses API."""

from bylaw.wire.openai_responses.answers import decode, encode, recognises, refuse
from bylaw.wire.openai_responses.requests import keywords, request
from bylaw.wire.openai_responses.streams import assemble, frames, recognises_event, stream
from bylaw.wire.reading import read_request

name = "openai_responses"
provider = "openai"

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
