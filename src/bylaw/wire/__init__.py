"""What model providers say on the wire, in one normal form."""

from bylaw.wire.codec import Codec
from bylaw.wire.failure import KINDS, STATUS, Failure, Kind, ProviderFailed, failure_in
from bylaw.wire.objects import as_data
from bylaw.wire.reading import read_request
from bylaw.wire.recognition import CODECS, decode, whose
from bylaw.wire.recordings import parsed
from bylaw.wire.request import Message, NotARequest, Request, Role, Tool
from bylaw.wire.response import CallAsked, NotAResponse, Response, tool_calls

__all__ = [
    "CODECS",
    "KINDS",
    "STATUS",
    "CallAsked",
    "Codec",
    "Failure",
    "Kind",
    "Message",
    "NotARequest",
    "NotAResponse",
    "ProviderFailed",
    "Request",
    "Response",
    "Role",
    "Tool",
    "as_data",
    "decode",
    "failure_in",
    "parsed",
    "read_request",
    "tool_calls",
    "whose",
]
