"""What can go wrong with a pattern: when it is read, and when it is put to a text."""

from bylaw.errors import BylawError


class PatternError(BylawError):
    """The pattern is not a regular expression; `position` is where in it, if that can be said."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class RegexLimit(BylawError):
    """The pattern can't be judged on this text within the bound."""
