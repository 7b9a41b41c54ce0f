"""The consoles that commands write on."""

from __future__ import annotations

from rich.console import Console


def stdout() -> Console:
    return Console(highlight=False)


def stderr() -> Console:
    return Console(stderr=True, highlight=False)
