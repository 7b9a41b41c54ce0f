"""Which pack, and who answers: by flags, else by the project's file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

import click
import msgspec

from bylaw.errors import Misuse
from bylaw.formats.packs.answers import Answers, FromRecordings
from bylaw.formats.packs.documents import RECORDED
from bylaw.reader import Document, Problems, Text, load, read

FILES = (".replayci.yml", ".vesanor.yml")
Command = TypeVar("Command", bound=Callable[..., Any])


class ProjectFile(Document, frozen=True, kw_only=True):
    called: ClassVar[str] = "the project's file"

    pack: Annotated[str | None, Text(min=1), "the pack, relative to this file"] = None
    provider: Annotated[str | None, Text(min=1), "who answers"] = None
    model: Annotated[str | None, Text(min=1)] = None


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What the flags say."""

    pack: Path | None = None
    provider: str | None = None
    model: str | None = None
    base_url: str | None = None
    stream: bool = False
    timeout_ms: int | None = None
    retry_cap: int | None = None
    capture: bool = False
    stale: str = "refuse"
    shared_key: bool = True
    """Whether the key that any provider may be given is this one's; a second provider never gets the first one's."""


def whose(command: Command) -> Command:
    """The flags that say which pack is meant and who answers."""
    for option in reversed(
        (
            click.argument("path", metavar="[PACK]", required=False, type=click.Path(path_type=Path)),
            click.option("--pack", type=click.Path(path_type=Path), metavar="PACK", help="The pack, by another way."),
            click.option("--provider", metavar="NAME", help="Who answers; without it, the recordings."),
            click.option("--model", metavar="NAME", help="The model that is asked, whatever the case names."),
            click.option("--base-url", metavar="URL", help="Where the provider is."),
            click.option("--stream", is_flag=True, help="Ask for streams."),
            click.option("--timeout-ms", type=click.IntRange(min=1), metavar="N", help="No answer takes longer."),
            click.option("--retry-cap", type=click.IntRange(min=1), metavar="N", help="Nothing is asked more often."),
        )
    ):
        command = option(command)
    return command


def settled(
    path: Path | None, pack: Path | None, provider: str | None, model: str | None, **more: Any
) -> tuple[Path, Wanted]:
    """The pack and everything else that is wanted; flags win over the project's file."""
    if path is not None and pack is not None and path != pack:
        raise Misuse(f"two packs are named, {path} and {pack}")
    said = _project_file()
    found = path or pack or (None if said is None or said.pack is None else Path(said.pack))
    if found is None:
        raise Misuse(f"no pack is named: give its directory, or write `pack:` into {FILES[0]}")
    answering = provider or (said.provider if said else None) or RECORDED
    live = answering != RECORDED
    wanted = Wanted(
        pack=found,
        provider=answering,
        model=model or (said.model if said and live else None),
        **more,
    )
    if not live:
        _refuse_for_recordings(wanted)
    return found, wanted


def _refuse_for_recordings(wanted: Wanted) -> None:
    asked = {
        "--model": wanted.model is not None,
        "--base-url": wanted.base_url is not None,
        "--stream": wanted.stream,
        "--capture-recordings": wanted.capture,
    }
    idle = [flag for flag, given in asked.items() if given]
    if idle:
        raise Misuse(f"{' and '.join(idle)} asks somebody live: name a `--provider`")


def answers_of(wanted: Wanted) -> Answers:
    if wanted.provider in (None, RECORDED):
        return FromRecordings(judge_stale=wanted.stale == "evaluate")
    from bylaw.formats.packs.live import KEY_VARIABLES, FromProvider  # who judges recordings needs no client
    from bylaw.models import Line, Model

    line = Line(
        Model(
            provider=wanted.provider,
            model=wanted.model or "",
            base_url=wanted.base_url,
            key_variables=KEY_VARIABLES if wanted.shared_key else (),
            stream=wanted.stream,
        )
    )
    line.prepare()
    return FromProvider(
        line=line, timeout_ms=wanted.timeout_ms, most_attempts=wanted.retry_cap, capture=wanted.capture
    )


def _project_file() -> ProjectFile | None:
    """What stands beside where the command is called."""
    found = [name for name in FILES if Path(name).is_file()]
    if not found:
        return None
    if len(found) > 1:
        raise Misuse(f"there are two project files, {' and '.join(found)}: keep one")
    problems = Problems()
    source = load(Path(found[0]), problems=problems)
    said = None if source is None else read(ProjectFile, source.root, problems)
    problems.raise_errors()
    return said
