"""Malformed arguments, as Google tells of them: it reads calls itself and never passes one on that it can't read."""

from __future__ import annotations

from typing import Any

import msgspec

from bylaw.wire import Response
from bylaw.wire.response import arguments_text, parsed_arguments

_WORD = "MALFORMED_FUNCTION_CALL"


def as_google_answers(response: Response) -> tuple[Response, dict[str, Any]]:
    """The answer without its calls where one of them can't be read, and what is said of it beside the reason."""
    for call in response.tool_calls:
        if not isinstance(parsed_arguments(call.arguments), dict):
            message = f"Malformed function call: {call.name}({arguments_text(call.arguments)})"
            answered = msgspec.structs.replace(response, tool_calls=(), finish_reason=_WORD)
            return answered, {"finishMessage": message}
    return response, {}
