"""What can't be told from the text, marked inside it so that it is never taken for the text itself.

The marks are two code points that Unicode keeps free of any meaning; a command that has them is not read at all.
"""

from __future__ import annotations

import re
from typing import Final

OPEN: Final = "\ufdd0"
CLOSE: Final = "\ufdd1"
OR_NOTHING: Final = "\ufdd2"
"""After a text: it may as well be empty."""

_MARK = re.compile("\ufdd0([^\ufdd1]*)\ufdd1")
_VARIABLE = re.compile("\ufdd0\\$([A-Za-z_0-9@*#?!$-]+)\ufdd1")


def unknown(shown: str) -> str:
    """A value that is not known, with what is shown in its place."""
    return f"{OPEN}{shown}{CLOSE}"


ANYTHING: Final = unknown("<unknown>")
OUTPUT: Final = unknown("$(...)")
PIPE: Final = unknown("<(...)")


def is_known(text: str) -> bool:
    return OPEN not in text


def shown(text: str) -> str:
    return _MARK.sub(r"\1", text) if OPEN in text else text


def if_empty(text: str) -> str:
    """The text if everything that is not known of it were nothing."""
    return _MARK.sub("", text)


def as_code(text: str) -> str:
    """The text as a shell would read it again: a variable is a variable, the rest stays unknown."""
    return _VARIABLE.sub(r"${\1}", text)
