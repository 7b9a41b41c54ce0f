"""The command `bylaw`: one file per command, imported when it is called."""

from bylaw.cli.entry import main

__all__ = ["main"]
