"""What a view says of a value it has no reading of."""


class Unreadable(ValueError):
    """A value that a view can't read for certain. The rule that asked is broken by it, so it denies."""
