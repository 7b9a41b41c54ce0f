"""Where commands write: what was asked for on stdout, everything said on the way on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bylaw.errors import Diagnostic


def show_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    if not diagnostics:
        return
    from bylaw.cli.output import stderr  # 25 ms to import, and most files have nothing wrong with them
    from bylaw.report.diagnostics import render_diagnostics

    render_diagnostics(diagnostics, stderr(), source=_source)


def _source(file: str) -> str | None:
    """A file's text for the excerpt under a diagnostic; none where it can't be had, which the diagnostic has said."""
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None
