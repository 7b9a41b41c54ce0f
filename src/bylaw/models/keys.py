"""A provider's key: from the environment only, and nowhere to be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from bylaw.errors import Misuse
from bylaw.redaction import MARK, Redactor

NO_KEY = "none"
"""What clients that insist on a key get for servers that don't."""

SHORTEST = 8
"""A shorter key is nobody's secret, and would be found in the middle of words."""


def find_key(variables: tuple[str, ...], environment: Mapping[str, str], *, keyless: bool, provider: str) -> str:
    """The first of these variables that is set; empty is not set."""
    for variable in variables:
        key = environment.get(variable, "").strip()
        if key and key.isascii() and key.isprintable():
            return key
        if key:
            raise Misuse(f"the key in `{variable}` has characters that no key has")
    if keyless:
        return NO_KEY
    raise Misuse(f"there is no key for `{provider}`: set {' or '.join(f'`{name}`' for name in variables)}")


def hiding(key: str) -> Callable[[str], str]:
    """Takes this key and everything that looks like a secret out of what a provider or its client says."""
    redactor = Redactor()

    def hide(text: str) -> str:
        if key != NO_KEY:
            text = text.replace(key, MARK)
        return redactor.redact_text(text, most=len(text))

    return hide


def taking_out(key: str) -> Callable[[Any], Any]:
    """Marks this key wherever it stands in JSON data, keys of mappings included. Data without it stays itself.

    Servers echo what they are sent. Raises `RecursionError` for data that is too deep to be looked through.
    """
    if key == NO_KEY or len(key) < SHORTEST:
        return lambda data: data
    spelled = msgspec.json.encode(key)[1:-1]
    nested = msgspec.json.encode(spelled.decode())[1:-1]

    def clean(data: Any) -> Any:
        try:
            text = msgspec.json.encode(data)
        except UnicodeEncodeError:  # halves of characters, which only a look at each text gets past
            return _without(data, (key, spelled.decode()))
        return _without(data, (key, spelled.decode())) if spelled in text or nested in text else data

    return clean


def _without(data: Any, spellings: tuple[str, ...]) -> Any:
    match data:
        case str():
            for key in spellings:
                data = data.replace(key, MARK)
            return data
        case Mapping():
            return {_without(name, spellings): _without(inner, spellings) for name, inner in data.items()}
        case list() | tuple():
            return [_without(inner, spellings) for inner in data]
        case _:
            return data
