"""OpenAI's chat completions, which many other servers speak too."""

from bylaw.wire.openai_chat.answers import decode, encode, recognises, refuse
from bylaw.wire.openai_chat.requests import keywords, request
from bylaw.wire.openai_chat.streams import assemble, frames, recognises_event, stream
from bylaw.wire.reading import read_request

name = "openai_chat"
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
