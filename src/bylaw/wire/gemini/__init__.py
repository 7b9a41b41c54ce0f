"""Google Gemini's `generateContent`."""

from bylaw.wire.gemini.answers import decode, encode, recognises, refuse
from bylaw.wire.gemini.requests import keywords, request
from bylaw.wire.gemini.streams import assemble, frames, recognises_event, stream
from bylaw.wire.reading import read_request

name = "gemini"
provider = "gemini"

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
