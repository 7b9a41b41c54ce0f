"""The front door: which commands there are, and the last border before the user."""

from __future__ import annotations

import gc
import sys
import traceback
from typing import Any, Literal

import click
import msgspec

from bylaw.cli.lazy import LazyGroup
from bylaw.cli.screen import Shown, as_document, show_diagnostics
from bylaw.cli.streams import NotWritten, take_over
from bylaw.errors import BylawError, InvalidFile
from bylaw.report.exit import ExitCode

SCHEMA = 1
_RARELY = (200_000, 30, 30)
"""A command lives for seconds and keeps what it reads; looking for garbage as often as usual took a third of them."""

_COMMANDS = {
    "audit": "verify that an audit log is whole",
    "guard": "ask what a bundle does: check, test, diff, impact",
    "pack": "contracts on model answers: run, observe, promote, drift",
    "init": "write a starter bundle that works",
    "model": "stand in for a model, by a script",
    "run": "judge contract files: run what they plan, show what held and what did not",
    "schema": "print the JSON Schema of a format, for editors",
    "validate": "check contract files without running anything",
}


class _FrontDoor(LazyGroup):
    def invoke(self, ctx: click.Context) -> Any:
        """click would end a command that meets a closed pipe with 1, which here means a broken contract."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise BylawError("a program it wrote to is gone") from error


@click.group(
    cls=_FrontDoor, room="bylaw.cli", about=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="bylaw", message="%(prog)s %(version)s")
def bylaw() -> None:
    """Contracts for AI agents: written once, enforced on every tool call, checked before release.

    Exit codes: 0 held, 1 broken, 2 misuse or invalid file, 3 undecided.
    """


class _Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a command ended without deciding anything; it has been told on stderr."""

    kind: Literal["misuse", "invalid-file", "interrupted", "defect"]
    message: str

    @property
    def code(self) -> ExitCode:
        return ExitCode.undecided if self.kind == "interrupted" else ExitCode.invalid


def main() -> None:
    """Every way out has an exit code of ours, and none but a broken contract has 1."""
    gc.set_threshold(*_RARELY)
    shown = Shown()
    try:
        out = take_over()
        ended = _call(shown)
        sys.stdout.flush()
        if "--json" in sys.argv and not out.used and ended:
            click.echo(_document(ended, shown))
    except NotWritten as error:
        ended = _told(error)
    else:
        if out.nobody_reads and ended is None:
            ended = _told(NotWritten("stdout was closed before everything was written"))
    sys.exit(ended.code if isinstance(ended, _Failure) else ended)


def _call(shown: Shown) -> _Failure | ExitCode | None:
    """The exit code that a command decided on, none if there was nothing to decide, or what kept it from deciding."""
    try:
        bylaw(prog_name="bylaw", standalone_mode=False, obj=shown)
    except SystemExit as ended:
        return ExitCode(int(ended.code or 0))
    except click.ClickException as error:
        error.show()
        return _Failure(kind="misuse", message=error.format_message())
    except click.Abort:
        click.echo("bylaw: interrupted before there was anything to report", err=True)
        return _Failure(kind="interrupted", message="interrupted before there was anything to report")
    except InvalidFile as error:
        shown.diagnostics.extend(error.diagnostics)
        show_diagnostics(error.diagnostics)
        return ExitCode.invalid
    except BylawError as error:
        return _told(error)
    except Exception as error:  # noqa: BLE001 (the last border: a defect of ours is told in full, no broken contract)
        traceback.print_exc()
        click.echo("bylaw: this is a defect of bylaw; nothing was decided", err=True)
        return _Failure(kind="defect", message=repr(error))
    return None


def _told(error: BylawError) -> _Failure:
    click.echo(f"bylaw: {error}", err=True)
    return _Failure(kind="misuse", message=str(error))


def _document(ended: _Failure | ExitCode, shown: Shown) -> bytes:
    """For programs that asked for JSON: one document, whatever happened."""
    failure = ended if isinstance(ended, _Failure) else _Failure(kind="invalid-file", message="a file can't be used")
    document = {
        "schema": SCHEMA,
        "exit_code": failure.code,
        "error": failure,
        "diagnostics": [as_document(found) for found in shown.diagnostics],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=2)
