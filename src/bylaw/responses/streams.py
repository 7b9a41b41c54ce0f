"""Streams with somebody looking on: each piece goes through as it came, the whole is looked at once it is there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from bylaw.responses.answers import Asked
from bylaw.responses.proxy import Proxy
from bylaw.wire import as_data

if TYPE_CHECKING:
    from bylaw.responses.watching import Watch

_RETOLD = frozenset({"text", "input_json", "thinking", "signature", "citation", "content_block_stop", "message_stop"})
"""Events of Anthropic's client that repeat what others said, some of them all of it."""

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})


def ends(event: Any) -> bool:
    """Whether a stream says with this event why it ended: what comes after adds nothing to the answer."""
    match event:
        case {"choices": [{"finish_reason": str()}, *_]}:
            return True
        case {"type": "message_delta", "delta": {"stop_reason": str()}}:
            return True
        case {"type": str() as kind}:
            return kind in _LAST
    return False


class _Pieces:
    """What came so far, as data: a client goes on to change the objects it has handed out."""

    def __init__(self, watch: Watch, asked: Asked) -> None:
        self._watch = watch
        self._asked = asked
        self._events: list[Any] = []
        self._ended = False
        self._told = False
        self._refused: BaseException | None = None

    def make_sure(self) -> None:
        """Who has been refused an answer is not given the rest of it for asking again."""
        if self._refused is not None:
            raise self._refused

    def add(self, piece: Any) -> None:
        try:
            event = as_data(piece)
        except Exception:  # noqa: BLE001 - a client's object may raise anything; what it said is then unknown
            event = {}
        if not isinstance(event, dict) or event.get("type") not in _RETOLD:
            self._events.append(event)
        if ends(event):
            self._ended = True
            if self._watch.early:
                self._tell()

    def finish(self) -> None:
        """There is no more: whether it is a whole answer or not, this is what came."""
        self._tell()

    def leave(self) -> None:
        """Nobody reads on. An answer that was whole by then counts; half of one is nothing to act on."""
        if self._ended:
            self._tell()

    def _tell(self) -> None:
        if not self._told:
            self._told = True
            try:
                self._watch.answered(self._asked, self._events)
            except BaseException as error:
                self._refused = error
                raise


class Stream(Proxy):
    def __init__(self, inner: Any, watch: Watch, asked: Asked) -> None:
        super().__init__(inner, pieces=_Pieces(watch, asked))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        pieces: _Pieces = self._own["pieces"]
        pieces.make_sure()
        try:
            piece = next(self._inner)
        except StopIteration:
            pieces.finish()
            raise
        try:
            pieces.add(piece)
        except BaseException:
            self._inner.close()
            raise
        return piece

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *ended: Any) -> None:
        self.close()

    def close(self) -> None:
        self._inner.close()
        self._own["pieces"].leave()


class AsyncStream(Proxy):
    def __init__(self, inner: Any, watch: Watch, asked: Asked) -> None:
        super().__init__(inner, pieces=_Pieces(watch, asked))

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        pieces: _Pieces = self._own["pieces"]
        pieces.make_sure()
        try:
            piece = await anext(self._inner)
        except StopAsyncIteration:
            pieces.finish()
            raise
        try:
            pieces.add(piece)
        except BaseException:
            await self._inner.close()
            raise
        return piece

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *ended: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await self._inner.close()
        self._own["pieces"].leave()

    aclose = close


class Manager(Proxy):
    """Anthropic's context in which a message is streamed."""

    def __init__(self, inner: Any, watch: Watch, asked: Asked) -> None:
        super().__init__(inner, watch=watch, asked=asked)

    def __enter__(self) -> Any:
        own = self._own
        own["stream"] = stream = MessageStream(self._inner.__enter__(), own["watch"], own["asked"])
        return stream

    def __exit__(self, *ended: Any) -> Any:
        left = self._inner.__exit__(*ended)
        self._own["stream"]._own["pieces"].leave()
        return left


class AsyncManager(Proxy):
    def __init__(self, inner: Any, watch: Watch, asked: Asked) -> None:
        super().__init__(inner, watch=watch, asked=asked)

    async def __aenter__(self) -> Any:
        own = self._own
        own["stream"] = stream = AsyncMessageStream(await self._inner.__aenter__(), own["watch"], own["asked"])
        return stream

    async def __aexit__(self, *ended: Any) -> Any:
        left = await self._inner.__aexit__(*ended)
        self._own["stream"]._own["pieces"].leave()
        return left


def _text(event: Any) -> str | None:
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        return str(event.delta.text)
    return None


class MessageStream(Stream):
    """Everything that reads on reads through this one, so that nothing is had unseen."""

    @property
    def text_stream(self) -> Iterator[str]:
        return (text for event in self if (text := _text(event)) is not None)

    def until_done(self) -> None:
        for _ in self:
            pass

    def get_final_message(self) -> Any:
        self.until_done()
        return self._inner.get_final_message()

    def get_final_text(self) -> Any:
        self.until_done()
        return self._inner.get_final_text()


class AsyncMessageStream(AsyncStream):
    @property
    def text_stream(self) -> AsyncIterator[str]:
        return (text async for event in self if (text := _text(event)) is not None)

    async def until_done(self) -> None:
        async for _ in self:
            pass

    async def get_final_message(self) -> Any:
        await self.until_done()
        return await self._inner.get_final_message()

    async def get_final_text(self) -> Any:
        await self.until_done()
        return await self._inner.get_final_text()
