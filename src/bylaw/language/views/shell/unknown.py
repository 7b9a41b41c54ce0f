"""What can't be told from the text, marked inside it so that it is never taken for the text itself.

A mark is a name between two code points that Unicode keeps free of any meaning; a command that has these is not read
at all. The name has nothing in it that means something to a shell.
"""

from __future__ import annotations

import re
from typing import Final

OPEN: Final = "\ufdd0"
CLOSE: Final = "\ufdd1"
OR_NOTHING: Final = "\ufdd2"
"""After a text: it may as well be empty."""

MARK = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")

ANYTHING: Final = f"{OPEN}1{CLOSE}"
OUTPUT: Final = f"{OPEN}2{CLOSE}"
NUMBER: Final = f"{OPEN}3{CLOSE}"
PIPE: Final = f"{OPEN}4{CLOSE}"
INPUT: Final = f"{OPEN}5{CLOSE}"

_SHOWN: Final = {"1": "<unknown>", "2": "$(...)", "3": "$((...))", "4": "<(...)", "5": "<stdin>"}
_NEVER_EMPTY: Final = frozenset((NUMBER, PIPE, INPUT))


def variable(name: str) -> str:
    """What a variable from outside holds. A name that is no word is written as the number of its character."""
    return f"{OPEN}{name if name.isidentifier() else f'x{ord(name[0])}.{name[1:]}'}{CLOSE}"


def is_known(text: str) -> bool:
    return OPEN not in text


def shown(text: str) -> str:
    return MARK.sub(lambda mark: _SHOWN.get(mark[1]) or f"${_name(mark[1])}", text) if OPEN in text else text


def if_empty(text: str) -> str:
    """The text if everything that is not known of it were nothing."""
    return MARK.sub(lambda mark: mark[0] if mark[0] in _NEVER_EMPTY else "", text)


def as_code(text: str) -> str:
    """The text as a shell would read it again: a variable is a variable, the rest stays unknown."""
    return MARK.sub(lambda mark: mark[0] if mark[1] in _SHOWN else f"${{{_name(mark[1])}}}", text)


def _name(code: str) -> str:
    number, dot, rest = code.partition(".")
    return chr(int(number[1:])) + rest if dot else code
