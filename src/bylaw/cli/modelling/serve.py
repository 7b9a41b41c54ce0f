"""`bylaw model serve`: a model that says what its script says."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

import click
import msgspec

from bylaw.cli.screen import show_diagnostics
from bylaw.errors import InvalidFile, Misuse
from bylaw.report.exit import ExitCode
from bylaw.report.safe_text import safe_line
from bylaw.testing import Received, Refused, Script, ScriptedModel, script_from_file

_WIDTH = 200
_Told = SimpleQueue[Received | Refused | None]


@click.command(name="serve")
@click.argument("path", metavar="SCRIPT", type=click.Path(path_type=Path))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on; else one that is free."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--log", type=click.Path(path_type=Path), metavar="FILE", help="Add every request to FILE, a line each."
)
def command(path: Path, *, port: int, host: str, log: Path | None) -> None:
    """Answer as OpenAI, Anthropic and Google would, with what SCRIPT says.

    Prints the variables that point official clients here, then a line for each request, and when it is ended by
    Ctrl-C or a termination signal, which answers were not used. Exits with 0 when there was an answer for every
    request, with 3 when a request had none, with 2 when it can't serve.
    """
    script = _script(path)
    told: _Told = SimpleQueue()
    model = ScriptedModel(script, host=host, port=port, listener=told.put)
    with _log(log) as lines, _ended_by_signals(told):
        with model:
            click.echo(f"listening on {model.url} (Ctrl-C ends it)")
            for name, value in model.environment.items():
                click.echo(f"export {name}={shlex.quote(value)}")
            while (what := told.get()) is not None:
                _tell(what, lines)
        while not told.empty():
            if (what := told.get()) is not None:
                _tell(what, lines)
    sys.exit(_summary(model))


def _script(path: Path) -> Script:
    try:
        return script_from_file(path)
    except InvalidFile as error:
        show_diagnostics(error.diagnostics)
        sys.exit(ExitCode.invalid)


@contextmanager
def _log(path: Path | None) -> Iterator[BinaryIO | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("ab")
    except OSError as error:
        raise Misuse(f"can't write {path}: {error.strerror}") from error
    with file:
        yield file


@contextmanager
def _ended_by_signals(told: _Told) -> Iterator[None]:
    """The signal is one more thing that is told: a queue of this kind may be put to while it is being put to."""
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, lambda *_: told.put(None)) for kind in kinds]
    try:
        yield
    finally:
        for kind, action in zip(kinds, before, strict=True):
            signal.signal(kind, action)


def _tell(what: Received | Refused, lines: BinaryIO | None) -> None:
    click.echo(_line(what))
    if lines is not None:
        lines.write(msgspec.json.encode(what) + b"\n")
        lines.flush()


def _line(what: Received | Refused) -> str:
    if isinstance(what, Refused):
        return safe_line(f"refused: {what}", cells=_WIDTH)
    given = "no answer fits" if what.answer is None else f"answer {what.answer}"
    return safe_line(f"{given}: {what}", cells=_WIDTH)


def _summary(model: ScriptedModel) -> ExitCode:
    asked, unmatched = len(model.requests), len(model.unmatched)
    click.echo(f"{asked} request{'s' * (asked != 1)}, {unmatched} without an answer")
    for received in model.unmatched:
        click.echo(safe_line(f"no answer fits: {received}", cells=_WIDTH))
    for unused in model.unused:
        click.echo(safe_line(str(unused), cells=_WIDTH))
    return ExitCode.undecided if unmatched else ExitCode.held
