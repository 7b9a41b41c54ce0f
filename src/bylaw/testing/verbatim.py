"""Arguments that go out letter by letter, through codecs that would write them in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.testing.script import Answer
from bylaw.wire import Response
from bylaw.wire.response import arguments_value, parsed_arguments

_OBJECTS = frozenset({"input", "args"})
"""Where an API has arguments as an object, not as the text of one."""


class Verbatim(msgspec.Struct, frozen=True, kw_only=True):
    """The texts by the mark that stands for each on the way through the codec: too short to be streamed in pieces."""

    texts: Mapping[str, str]

    @classmethod
    def of(cls, answer: Answer) -> Verbatim:
        return cls(
            texts={
                f"<verbatim {index}>": call.raw_arguments
                for index, call in enumerate(answer.tool_calls)
                if call.raw_arguments is not None
            }
        )

    def marked(self, response: Response) -> Response:
        calls = tuple(
            msgspec.structs.replace(call, arguments=mark) if (mark := f"<verbatim {index}>") in self.texts else call
            for index, call in enumerate(response.tool_calls)
        )
        return msgspec.structs.replace(response, tool_calls=calls)

    def restored(self, value: Any, key: str = "") -> Any:
        if not self.texts:
            return value
        match value:
            case dict():
                return {name: self.restored(inner, name) for name, inner in value.items()}
            case list():
                return [self.restored(inner) for inner in value]
            case str() if value in self.texts:
                text = self.texts[value]
                return arguments_value(parsed_arguments(text)) if key in _OBJECTS else text
        return value
