"""Backslash escapes, as `$'…'`, `printf` and `echo -e` read them."""

from __future__ import annotations

import re
from typing import Final

from bylaw.language.views.unreadable import Unreadable

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPE_AFTER_0 = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0[0-7]{0,3}|.)", re.DOTALL)
_CONTROL: Final = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


def unescape(text: str, *, octal_after_0: bool = False) -> str:
    """The text with its escapes resolved; one that shells read in different ways is unreadable."""
    return (_ESCAPE_AFTER_0 if octal_after_0 else _ESCAPE).sub(_resolve, text)


def _resolve(found: re.Match[str]) -> str:
    escape = found[1]
    kind = escape[0]
    if kind in "01234567":
        return _character(int(escape, 8) & 0xFF)
    if kind in "xuU" and len(escape) > 1:
        return _character(int(escape[1:], 16))
    if kind in "xuUc":
        raise Unreadable(f"`\\{kind}` is an escape that shells read in different ways")
    return _CONTROL.get(kind, found[0])


def _character(code: int) -> str:
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF or 0xFDD0 <= code <= 0xFDEF:
        raise Unreadable("an escape stands for a character that can't be in a command")
    return chr(code)
