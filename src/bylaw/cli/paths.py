"""Paths as users write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bylaw.reader.source import STDIN


class _Given(click.Path):
    """A path; `-` is stdin, and the empty text, as a variable that is not set gives it, is a mistake."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if value == "":
            self.fail("the path is empty", param, ctx)
        path = Path(value)
        if path == STDIN:
            return path.absolute()
        return STDIN if value == "-" else path


GIVEN = _Given(path_type=Path)
