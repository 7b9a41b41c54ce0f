"""Views: one argument of a call as the texts that a rule should look at."""

from collections.abc import Callable, Mapping

from bylaw.language.views.argv import argv
from bylaw.language.views.unreadable import Unreadable

View = Callable[[str], tuple[str, ...]]
VIEWS: Mapping[str, View] = {"argv": argv}

__all__ = ["VIEWS", "Unreadable", "View", "argv"]
