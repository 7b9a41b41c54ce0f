"""Where commands write: what was asked for on stdout, everything said on the way on stderr."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from bylaw.errors import Diagnostic


class Shown:
    """The diagnostics a command has shown, for whoever reads its stdout and not its stderr."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []


def show_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    if not diagnostics:
        return
    from bylaw.cli.output import stderr  # 25 ms to import, and most files have nothing wrong with them
    from bylaw.report.diagnostics import render_diagnostics

    context = click.get_current_context(silent=True)
    shown = None if context is None else context.find_object(Shown)
    if shown is not None:
        shown.diagnostics.extend(diagnostics)
    render_diagnostics(diagnostics, stderr(), source=_source)


def as_document(found: Diagnostic) -> dict[str, object]:
    where = found.where
    return {
        "code": found.code,
        "level": found.level,
        "message": found.message,
        "hint": found.hint,
        "where": {"file": where.file, "line": where.line, "column": where.column},
    }


def _source(file: str) -> str | None:
    """A file's text for the excerpt under a diagnostic; none where it can't be had, which the diagnostic has said."""
    from bylaw.reader import Problems
    from bylaw.reader.source import STDIN, decode, read_bytes

    if Path(file) == STDIN or not os.path.isfile(file):  # noqa: PTH113 (`Path.is_file` raises for odd names)
        return None
    unsaid = Problems()
    raw = read_bytes(Path(file), problems=unsaid)
    return None if raw is None else decode(raw, file=file, problems=unsaid)
