"""The consoles that commands write on."""

from __future__ import annotations

from rich.console import Console

from bylaw.cli.entry import NobodyReads


class Output(Console):
    def on_broken_pipe(self) -> None:
        """rich would exit with 1, which here means a broken contract."""
        raise NobodyReads("its output was closed before everything was written")


def stdout() -> Console:
    return Output(highlight=False)


def stderr() -> Console:
    return Output(stderr=True, highlight=False)
