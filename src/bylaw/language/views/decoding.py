"""Other ways to write the same characters: percent signs, full-width forms, marks nobody sees."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from bylaw.language.views.unreadable import Unreadable

MOST_ROUNDS: Final = 4
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+|%u[0-9a-fA-F]{4}")
_SELECTORS = re.compile("[\u034f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that choose between forms of a character; names of hosts are read without them."""

_SLASHES: Final = dict.fromkeys(map(ord, "\u2044\u2215\u29f8\u2216\u29f5\u29f9"), "/")


def readings(text: str) -> Iterator[str]:
    """The text, then what it is after each round of percent-decoding; each also as Unicode folds it."""
    for _ in range(MOST_ROUNDS + 1):
        yield text
        if not text.isascii():
            yield folded(text)
        decoded = percent_decoded(text)
        if decoded == text:
            return
        text = decoded
    raise Unreadable(f"it is percent-encoded more than {MOST_ROUNDS} times over")


def percent_decoded(text: str) -> str:
    return _PERCENT.sub(_decoded, text) if "%" in text else text


def _decoded(found: re.Match[str]) -> str:
    if found[0][1] == "u":
        return chr(int(found[0][2:], 16))
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        raise Unreadable(f"`{found[0]}` is not percent-encoded text") from None


def folded(text: str) -> str:
    """The text with compatible characters made one, and without those that have no width."""
    plain = _SELECTORS.sub("", unicodedata.normalize("NFKC", text).translate(_SLASHES))
    return "".join(character for character in plain if unicodedata.category(character) != "Cf")
