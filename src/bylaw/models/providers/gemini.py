"""Google Gemini, by its developer API."""

from __future__ import annotations

from typing import Any

import msgspec

from bylaw.models.provider import AttemptFailed, Body, client_library
from bylaw.models.transport import status_failure, transport_failure
from bylaw.wire import CODECS, Codec, NotARequest, Request, as_data

_OF_THE_CLIENT = frozenset({"sdk_http_response", "parsed", "automatic_function_calling_history"})
"""What the client adds to an answer; headers are among it."""


class Gemini(msgspec.Struct, frozen=True, kw_only=True):
    name: str = "gemini"
    key_variables: tuple[str, ...] = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    keyless: bool = False

    @property
    def codec(self) -> Codec:
        return CODECS["gemini"]

    def connect(self, *, key: str, base_url: str | None) -> GeminiConnection:
        library = client_library("google.genai", extra="gemini")
        types, errors = library.types, client_library("google.genai.errors", extra="gemini")
        options = types.HttpOptions(base_url=base_url, retry_options=types.HttpRetryOptions(attempts=1))
        client = library.Client(api_key=key, http_options=options)
        unfit = client_library("pydantic", extra="gemini").ValidationError
        return GeminiConnection(client, types=types, errors=errors, unfit=unfit, codec=self.codec)


class GeminiConnection:
    def __init__(self, client: Any, *, types: Any, errors: Any, unfit: Any, codec: Codec) -> None:
        self._client = client
        self._types = types
        self._errors = errors
        self._unfit = unfit
        self._codec = codec

    async def send(self, request: Request, /, *, stream: bool, seconds: float) -> Body:
        asked = self._asked(request, stream=stream, seconds=seconds)
        try:
            if stream:
                chunks = await self._client.aio.models.generate_content_stream(**asked)
                return [_data(chunk) async for chunk in chunks]
            answer = await self._client.aio.models.generate_content(**asked)
        except self._errors.APIError as error:
            headers = {} if error.response is None else error.response.headers
            raise AttemptFailed(status_failure(error.code, error.details, headers)) from error
        except Exception as error:
            failure = transport_failure(error)
            if failure is None:
                raise
            raise AttemptFailed(failure) from error
        body = answer.sdk_http_response.body
        return body.encode() if isinstance(body, str) else [_data(answer)]

    def _asked(self, request: Request, *, stream: bool, seconds: float) -> dict[str, Any]:
        """The client's own values; it refuses what it does not know.

        An answer is asked for as it comes, and never continued by requests nobody asked for.
        """
        config_type, content_type = self._types.GenerateContentConfig, self._types.Content
        given = self._codec.keywords(request)
        own = {
            "should_return_http_response": not stream,
            "automatic_continuation": False,
            "http_options": {"timeout": max(1, int(seconds * 1000))},
        }
        config = given["config"] | {name: value for name, value in own.items() if name in config_type.model_fields}
        try:
            return {
                "model": given.get("model", ""),
                "contents": [content_type.model_validate(content) for content in given["contents"]],
                "config": config_type.model_validate(config),
            }
        except self._unfit as error:
            raise NotARequest(f"the client of Gemini refuses it: {_why(error)}") from error

    async def close(self) -> None:
        await self._client.aio.aclose()
        self._client.close()


def _why(error: Any) -> str:
    told = error.errors(include_url=False, include_input=False)
    return "; ".join(f"`{'.'.join(map(str, one['loc']))}`: {one['msg']}" for one in told)


def _data(chunk: Any) -> dict[str, Any]:
    return {key: value for key, value in as_data(chunk).items() if key not in _OF_THE_CLIENT}
