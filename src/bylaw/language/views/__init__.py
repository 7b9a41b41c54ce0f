"""Views: one argument of a call as the texts that a rule should look at.

A comparison on a view holds when it holds for any of the texts; below `not`, when it holds for all of them.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Final, cast

from bylaw.language.views.unreadable import Unreadable

View = Callable[[str], tuple[str, ...]]
"""Pure, and quick enough for every call; a value that it can't read raises `Unreadable`."""

_REMEMBERED = 32


def _remembering(name: str) -> View:
    """Every rule on a call asks for the same value; reading it anew for each could take as long as the rules.

    The view's module is imported when the first value comes: that of shell lines alone takes 50 ms.
    """

    @lru_cache(maxsize=1)
    def view() -> View:
        return cast("View", getattr(import_module(f"{__name__}.{name}"), name))

    @lru_cache(maxsize=_REMEMBERED)
    def seen(value: str) -> tuple[tuple[str, ...], str]:
        try:
            return view()(value), ""
        except Unreadable as error:
            return (), str(error)

    def looked_at(value: str) -> tuple[str, ...]:
        texts, why_not = seen(value)
        if why_not:
            raise Unreadable(why_not)
        return texts

    return looked_at


VIEWS: Final[Mapping[str, View]] = {name: _remembering(name) for name in ("argv", "path", "host")}

__all__ = ["VIEWS", "Unreadable", "View"]
