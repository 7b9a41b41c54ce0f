"""What model providers say on the wire, in one normal form."""

from bylaw.wire.normal import CallAsked, NotAResponse, Response, decode, tool_calls

__all__ = ["CallAsked", "NotAResponse", "Response", "decode", "tool_calls"]
