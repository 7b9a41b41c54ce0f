"""Views: one argument of a call as the texts that a rule should look at.

A comparison on a view holds when it holds for any of the texts.
"""

from collections.abc import Callable, Mapping
from typing import Final

from bylaw.language.views.argv import argv
from bylaw.language.views.host import host
from bylaw.language.views.path import path
from bylaw.language.views.unreadable import Unreadable

View = Callable[[str], tuple[str, ...]]
"""Pure, and quick enough for every call; a value that it can't read raises `Unreadable`."""

VIEWS: Final[Mapping[str, View]] = {"argv": argv, "path": path, "host": host}

__all__ = ["VIEWS", "Unreadable", "View", "argv", "host", "path"]
