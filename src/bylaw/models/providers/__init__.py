"""The providers that can be asked, by name. Their client libraries are imported when one is."""

from __future__ import annotations

from difflib import get_close_matches

from bylaw.errors import Misuse
from bylaw.models.provider import Provider
from bylaw.models.providers.anthropic import Messages
from bylaw.models.providers.gemini import Gemini
from bylaw.models.providers.openai import Chat, Responses

_KNOWN: tuple[Provider, ...] = (
    Chat(),
    Responses(),
    Messages(),
    Gemini(),
    Chat(name="openai-compatible", compatible=True),
    Chat(name="compatible", compatible=True),
)
PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in _KNOWN}


def find_provider(name: str) -> Provider:
    """By name, with `_` or `-` in it."""
    spelled = name.strip().lower().replace("_", "-")
    if spelled in PROVIDERS:
        return PROVIDERS[spelled]
    close = get_close_matches(spelled, PROVIDERS, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(f'`{known}`' for known in PROVIDERS)}"
    raise Misuse(f"there is no provider `{name}`: {hint}")
