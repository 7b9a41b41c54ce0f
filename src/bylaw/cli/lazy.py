"""Groups of commands that cost nothing until one of them is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """Knows its commands by name and what each is for; a command's module is imported when it is called."""

    def __init__(self, *args: Any, room: str, about: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._room = room
        self._about = about

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._about)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._about:
            return None
        found = importlib.import_module(f"{self._room}.{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self._about.items()))
