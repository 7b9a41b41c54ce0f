"""The clients of OpenAI and Anthropic: made by one generator, alike in what they raise and hand out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import ModuleType
from typing import Any

from bylaw.models.provider import AttemptFailed
from bylaw.models.transport import status_failure, transport_failure, whole_body
from bylaw.wire import Codec, Failure, Request

Create = Callable[..., AbstractAsyncContextManager[Any]]


class GeneratedConnection:
    """Asks for the body as it comes, so that nothing is lost or mended on the way.

    What the method insists on is given by name, and all else in `extra_body`: a client knows no setting that is newer
    than itself.
    """

    def __init__(
        self, library: ModuleType, client: Any, create: Create, *, codec: Codec, by_name: tuple[str, ...]
    ) -> None:
        self._library = library
        self._client = client
        self._create = create
        self._codec = codec
        self._by_name = by_name

    async def send(self, request: Request, /, *, stream: bool, seconds: float) -> bytes:
        body = self._codec.keywords(request)
        named = {name: body.pop(name, "") for name in self._by_name}
        if stream:
            named["stream"] = True
        library = self._library
        try:
            async with self._create(**named, extra_body=body, timeout=seconds) as response:
                return await whole_body(response.iter_bytes())
        except UnicodeEncodeError as error:
            raise AttemptFailed(Failure(kind="bad_request", message="the request is not Unicode text")) from error
        except library.APIStatusError as error:
            response = error.response
            raise AttemptFailed(status_failure(error.status_code, response.text, response.headers)) from error
        except library.APITimeoutError as error:
            raise AttemptFailed(Failure(kind="timeout", message="the server did not answer in time")) from error
        except library.APIConnectionError as error:
            failure = transport_failure(error.__cause__ or error) or Failure(
                kind="connection", message="the connection failed"
            )
            raise AttemptFailed(failure) from error
        except Exception as error:
            found = transport_failure(error)
            if found is None:
                raise
            raise AttemptFailed(found) from error

    async def close(self) -> None:
        await self._client.close()
