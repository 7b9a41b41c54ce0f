"""The methods of the official clients by which an answer comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from bylaw.errors import Misuse

Kind = Literal["answer", "raw", "manager"]
"""What a method gives: the answer or a stream of it, a raw response with the answer in it, or a context in which it
is streamed."""

_CHAT = ("chat.completions", "beta.chat.completions")
_MESSAGES = ("messages", "beta.messages")
_SPELLED = """
    api_key admin_api_key auth_headers auth_token credentials custom_auth webhook_key webhook_secret workload_identity
    base_url websocket_base_url default_headers default_query platform_headers qs user_agent organization project
    timeout max_retries close is_closed
    admin audio containers embeddings files fine_tuning images models moderations skills uploads user_profiles
    vector_stores videos webhooks
    chat.completions.delete responses.delete responses.input_tokens messages.count_tokens
    beta.files beta.memory_stores beta.messages.count_tokens beta.models beta.organization beta.skills
    beta.user_profiles beta.vaults beta.webhooks
"""
_NO_ANSWERS = frozenset(_SPELLED.split())
"""What of a client gives no answer of a model. Whatever else there is, now or in a later version of it, might."""

_OPENAI: Mapping[str, Kind] = {
    **{f"{road}.{method}": "answer" for road in (*_CHAT, "responses") for method in ("create", "parse")},
    **{
        f"{road}.with_raw_response.{method}": "raw"
        for road in (*_CHAT, "responses")
        for method in ("create", "parse")
    },
}
_ANTHROPIC: Mapping[str, Kind] = {
    **{f"{road}.{method}": "answer" for road in _MESSAGES for method in ("create", "parse")},
    **{f"{road}.with_raw_response.create": "raw" for road in _MESSAGES},
    **{f"{road}.stream": "manager" for road in _MESSAGES},
}
_CLIENTS: Mapping[str, Mapping[str, Kind]] = {"openai": _OPENAI, "anthropic": _ANTHROPIC}


def roads_of(client: Any) -> Mapping[str, Kind]:
    """By whose client it is, without importing any; raises `Misuse` for one nobody knows."""
    for kind in client.__class__.__mro__:
        roads = _CLIENTS.get(kind.__module__.split(".")[0])
        if roads is not None:
            return roads
    raise Misuse(f"`{type(client).__name__}` is no client of {' or '.join(_CLIENTS)}")


def unseen(path: str, value: Any) -> bool:
    """Whether an answer could come this way, where nobody can look at it in passing; names with `_` are nobody's."""
    if path in _NO_ANSWERS or path.rpartition(".")[2].startswith("_"):
        return False
    return callable(value) or value.__class__.__module__.split(".")[0] in _CLIENTS
