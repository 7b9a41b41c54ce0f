"""What passes between us and a worker: four bytes of length, then one tagged JSON object.

A worker runs the user's code, so what it sends is read as nothing but these types, and only up to a size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from bylaw.errors import BylawError
from bylaw.evidence import Answer, ToolCall
from bylaw.faults import ToolFault

LARGEST = 64 * 1024 * 1024


class NotAFrame(BylawError):
    """Bytes that no worker of ours would send."""


class TooLarge(BylawError):
    """Something that does not fit into a frame."""


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """Which agent a worker serves, as `module:attr` each; it comes as an argument of the program."""

    endpoint: str
    tools: tuple[str, ...] = ()
    reset: str | None = None


class Work(msgspec.Struct, frozen=True, kw_only=True, tag="work"):
    """To a worker: one trial."""

    prompt: str
    seed: int = 0
    faults: tuple[ToolFault, ...] = ()
    directory: str | None = None
    environment: Mapping[str, str] = {}


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """The agent is loaded; the names of the tools that are stood in for."""

    tools: frozenset[str] = frozenset()


class Unusable(msgspec.Struct, frozen=True, kw_only=True, tag="unusable"):
    """The agent can't be loaded, ever: the reason."""

    error: str


class Begun(msgspec.Struct, frozen=True, kw_only=True, tag="begun"):
    """The agent is reset and now has the prompt."""


class Called(msgspec.Struct, frozen=True, kw_only=True, tag="called"):
    """A tool call that began, and the faults it reached."""

    number: int
    call: ToolCall
    reached: tuple[str, ...] = ()


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag="answered"):
    """The end of the tool call of that number."""

    number: int
    answer: Answer


class Done(msgspec.Struct, frozen=True, kw_only=True, tag="done"):
    """The end of a trial; with `error` it was none, and nothing in it can be judged."""

    output: str | None = None
    failure: str | None = None
    error: str | None = None
    ms: float = 0.0


Frame = Work | Ready | Unusable | Begun | Called | Answered | Done

_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[Frame] = msgspec.json.Decoder(Frame)


def pack(frame: Frame) -> bytes:
    body = _encode(frame)
    if len(body) > LARGEST:
        raise TooLarge(f"{len(body)} bytes are more than the {LARGEST} that can be sent at once")
    return len(body).to_bytes(4, "big") + body


class Unpacker:
    """Frames out of bytes that arrive in pieces."""

    def __init__(self) -> None:
        self._left = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Those that are complete by now."""
        self._left += data
        while len(self._left) >= 4:
            end = 4 + int.from_bytes(self._left[:4], "big")
            if end > 4 + LARGEST:
                raise NotAFrame(f"a frame of {end - 4} bytes is larger than any may be")
            if len(self._left) < end:
                return
            body = bytes(self._left[4:end])
            del self._left[:end]
            yield _frame(body)


def _frame(body: bytes) -> Frame:
    try:
        return _decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        raise NotAFrame(str(problem)) from problem
