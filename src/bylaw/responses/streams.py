"""Streams with somebody looking on: each piece goes through as it came, the whole is looked at once it is there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from bylaw.responses.answers import Asked
from bylaw.responses.pieces import Pieces
from bylaw.responses.proxy import Proxy

if TYPE_CHECKING:
    from bylaw.responses.watching import Watch

_SPELLED = """
    status_code reason_phrase http_version headers cookies url request encoding charset_encoding elapsed history links
    is_informational is_success is_redirect is_client_error is_server_error is_error has_redirect_location
    raise_for_status is_closed is_stream_consumed num_bytes_downloaded
"""
_ABOUT_HTTP = frozenset(_SPELLED.split())


class _HttpResponse(Proxy):
    """What HTTP says about an answer, without the answer."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name not in _ABOUT_HTTP:
            self._own["pieces"].past(f"stream.response.{name}")
        return getattr(self._inner, name)


class _Pieced(Proxy):
    """A stream, of which all but the pieces can be had once the answer has passed."""

    def __init__(self, inner: Any, watch: Watch, asked: Asked) -> None:
        super().__init__(inner, pieces=Pieces(watch, asked))

    def __getattr__(self, name: str) -> Any:
        pieces: Pieces = self._own["pieces"]
        if name == "response" and not pieces.open:
            return _HttpResponse(self._inner.response, pieces=pieces)
        if not name.startswith("_") and name not in ("response", "request_id"):
            pieces.past(f"stream.{name}")
        return getattr(self._inner, name)


class Stream(_Pieced):
    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        pieces: Pieces = self._own["pieces"]
        pieces.make_sure()
        while not pieces.ready:
            try:
                piece = next(self._inner)
            except StopIteration:
                pieces.finish()
                if pieces.ready:
                    break
                raise
            try:
                pieces.add(piece)
            except BaseException:
                self._inner.close()
                raise
        return pieces.ready.popleft()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *ended: Any) -> None:
        self.close()

    def close(self) -> None:
        self._inner.close()
        self._own["pieces"].leave()


class AsyncStream(_Pieced):
    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        pieces: Pieces = self._own["pieces"]
        pieces.make_sure()
        while not pieces.ready:
            try:
                piece = await anext(self._inner)
            except StopAsyncIteration:
                pieces.finish()
                if pieces.ready:
                    break
                raise
            try:
                pieces.add(piece)
            except BaseException:
                await self._inner.close()
                raise
        return pieces.ready.popleft()

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
