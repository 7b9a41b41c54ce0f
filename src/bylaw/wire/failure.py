"""What went wrong at a provider, in the classes a contract can name."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from bylaw.wire.response import NotAResponse
from bylaw.wire.retrying import retry_after

Kind = Literal["timeout", "connection", "rate_limit", "server_error", "bad_request", "invalid_response"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_WORDS: dict[str, Kind] = {
    **{kind: kind for kind in KINDS},
    "timeout_error": "timeout",
    "request_timeout": "timeout",
    "deadline_exceeded": "timeout",
    "vector_store_timeout": "timeout",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "insufficient_quota": "rate_limit",
    "resource_exhausted": "rate_limit",
    "tokens": "rate_limit",
    "requests": "rate_limit",
    "api_error": "server_error",
    "overloaded_error": "server_error",
    "internal": "server_error",
    "unavailable": "server_error",
    "unknown": "server_error",
    "aborted": "server_error",
    "invalid_request_error": "bad_request",
    "authentication_error": "bad_request",
    "billing_error": "bad_request",
    "permission_error": "bad_request",
    "not_found_error": "bad_request",
    "request_too_large": "bad_request",
    "invalid_prompt": "bad_request",
    "invalid_argument": "bad_request",
    "failed_precondition": "bad_request",
    "permission_denied": "bad_request",
    "unauthenticated": "bad_request",
    "not_found": "bad_request",
    "out_of_range": "bad_request",
}

STATUS: dict[Kind, int] = {
    "timeout": 504,
    "connection": 502,
    "rate_limit": 429,
    "server_error": 500,
    "bad_request": 400,
    "invalid_response": 500,
}
"""The HTTP status a server answers each kind with."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is an error. `word` is the provider's own name for it, `retry_after` is in seconds."""

    kind: Kind
    message: str = ""
    word: str = ""
    status: int | None = None
    retry_after: float | None = None

    def __str__(self) -> str:
        said = ", ".join(str(part) for part in (self.status, self.word, self.message) if part)
        return f"the provider answered with an error ({self.kind})" + (f": {said}" if said else "")


class ProviderFailed(NotAResponse):
    """The provider answered with an error; `failure` says which."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(str(failure))


def failure_in(raw: Any, *, status: int | None = None, headers: Any = None) -> Failure | None:
    """The error in a body of any provider, or None where it tells of none.

    `status` and `headers` are those of the HTTP answer where they are known. Without either, an error nobody has a
    class for is the server's.
    """
    error = _error(raw)
    if error is None and _bad(status) and isinstance(raw, dict):
        error = raw
    if error is None:
        return Failure(kind=_by_status(status), status=status, message=_text(raw)[:500]) if _bad(status) else None
    words = [error[key] for key in ("code", "type", "status") if isinstance(error.get(key), str)]
    told = status if _bad(status) else next((n for n in (error.get("code"), error.get("status")) if _bad(n)), None)
    known = [_WORDS[word.lower()] for word in words if word.lower() in _WORDS]
    return Failure(
        kind=_by_status(told) if told is not None else known[0] if known else "server_error",
        message=_text(error.get("message")),
        word=next((word for word in words if word.lower() in _WORDS), words[0] if words else ""),
        status=told,
        retry_after=retry_after(headers, error.get("details")),
    )


def _error(raw: Any) -> dict[str, Any] | None:
    """The object that describes the error, whoever wrote it."""
    if not isinstance(raw, dict):
        return None
    found = raw.get("error")
    if isinstance(found, dict):
        return found["error"] if isinstance(found.get("error"), dict) else found
    if isinstance(found, str) and found:
        return {"message": found, "type": found}
    if raw.get("type") == "error" or raw.get("object") == "error":
        return {key: value for key, value in raw.items() if (key, value) != ("type", "error")}
    return None


def _by_status(status: int | None) -> Kind:
    match status:
        case 408 | 504:
            return "timeout"
        case 429:
            return "rate_limit"
        case int() if status < 500:
            return "bad_request"
        case _:
            return "server_error"


def _bad(status: Any) -> bool:
    return type(status) is int and 400 <= status < 600


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
