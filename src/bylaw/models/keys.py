"""A provider's key: from the environment only, and nowhere to be seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bylaw.errors import Misuse
from bylaw.redaction import MARK, Redactor

NO_KEY = "none"
"""What clients that insist on a key get for servers that don't."""


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
