"""`bylaw pack observe`: drafts of contracts from what was seen."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bylaw.cli.packing.settings import Wanted
from bylaw.cli.packing.traced import TRACES
from bylaw.errors import Misuse
from bylaw.formats.packs.documents import RECORDED
from bylaw.formats.packs.json_files import Unusable, read_json_object
from bylaw.observe import (
    Gathered,
    Observation,
    PackFiles,
    drafts,
    from_audit_log,
    from_pack,
    from_traces,
    observed,
    write_pack,
)
from bylaw.observe.files import file_names
from bylaw.report.exit import ExitCode
from bylaw.report.safe_text import visible

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command(name="observe")
@click.option("--output", type=_FOLDER, required=True, metavar="PACK", help="Where the drafts go.")
@click.option("--input", "requests", type=_FOLDER, metavar="DIR", help="Requests, one JSON file each, to ask live.")
@click.option("--recordings", type=_FOLDER, metavar="PACK", help="A pack whose cases and recordings are looked at.")
@click.option("--audit-log", type=_FILE, multiple=True, metavar="FILE", help="A guard's audit log.")
@click.option("--traces", type=TRACES, multiple=True, metavar="FILE", help="Traces: OTLP/JSON spans, LangSmith runs.")
@click.option(
    "--by",
    type=click.Choice(["tool", "session"]),
    default="tool",
    show_default=True,
    help="What of an audit log comes to one contract.",
)
@click.option("--provider", metavar="NAME", help="Who is asked.")
@click.option("--model", metavar="NAME")
@click.option("--base-url", metavar="URL", help="Where the provider is.")
@click.option("--stream", is_flag=True, help="Ask for streams.")
@click.option("--update", is_flag=True, help="Bring drafts that are there up to date; pinned fields stay.")
def command(output: Path, *, audit_log: tuple[Path, ...], by: Any, update: bool, **flags: Any) -> None:
    """Draft contracts from live answers, from recordings, from a guard's audit log, or from traces.

    Drafts ask for structure, never for values. They are judged and shown and bind nobody until they are promoted.
    """
    requests, recordings, traces = flags.pop("requests"), flags.pop("recordings"), flags.pop("traces")
    if sum((requests is not None, recordings is not None, bool(audit_log), bool(traces))) != 1:
        raise Misuse("say what is looked at: `--input`, `--recordings`, `--audit-log` or `--traces`, one of them")
    if requests is not None:
        gathered = _asked(requests, Wanted(**flags), output=None if update else output)
    elif recordings is not None:
        gathered = from_pack(recordings)
    elif traces:
        gathered = from_traces(traces)
    else:
        gathered = from_audit_log(audit_log, by=by)
    for why, count in gathered.skipped.items():
        click.echo(f"passed over {count}: {visible(why)}", err=True)
    if not gathered.observations:
        click.echo("nothing was observed, and nothing is written", err=True)
        sys.exit(ExitCode.undecided)
    _show(write_pack(output, drafts(gathered.observations), refresh=update), output)
    sys.exit(ExitCode.undecided if requests is not None and gathered.skipped else ExitCode.held)


def _show(files: PackFiles, output: Path) -> None:
    for draft in files.drafts:
        click.echo(f"{visible(draft.name)}: a draft from {draft.seen} answer{'s' * (draft.seen != 1)}")
        for review in draft.review:
            click.echo(f"  review: {visible(review)}")
    written = len(files.created) + len(files.changed)
    click.echo(f"{output}: {written} files written; `bylaw pack run {output}` judges them")


def _asked(folder: Path, wanted: Wanted, *, output: Path | None) -> Gathered:
    """What a provider answers to every request of a directory; a failure is passed over, and said.

    Drafts that are in the way in `output` are told before anybody is asked.
    """
    if wanted.provider in (None, RECORDED):
        raise Misuse("`--input` asks somebody live: name a `--provider`")
    files = sorted(folder.rglob("*.json"))
    if not files:
        raise Misuse(f"there is no JSON file below {folder}")
    if output is not None:
        _refuse_overwriting([_name(file, folder) for file in files], output)
    return asyncio.run(_ask_all(files, folder, wanted))


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).with_suffix("").as_posix()


def _refuse_overwriting(names: Sequence[str], output: Path) -> None:
    drafted = [f"contracts/{name}.yaml" for name in file_names(names).values()]
    there = [name for name in drafted if (output / name).exists()]
    if there:
        said = f"{', '.join(there)} in {output} would be overwritten"
        raise Misuse(f"{said}: give `--update` to bring drafts up to date, or choose another `--output`")


async def _ask_all(files: Sequence[Path], folder: Path, wanted: Wanted) -> Gathered:
    from bylaw.formats.packs.live import KEY_VARIABLES
    from bylaw.models import Failed, Line, Model
    from bylaw.wire import NotARequest, NotAResponse, read_request

    skipped: Counter[str] = Counter()
    found: list[Observation] = []
    line = Line(
        Model(
            provider=wanted.provider or "",
            model=wanted.model or "",
            base_url=wanted.base_url,
            key_variables=KEY_VARIABLES,
            stream=wanted.stream,
        )
    )

    async def one(file: Path) -> None:
        name = _name(file, folder)
        try:
            case = read_json_object(file)
            body = case["request"] if isinstance(case.get("request"), dict) else case
            if wanted.model:
                body = {**body, "model": wanted.model}
            answer = await line.ask(read_request(body))
            if isinstance(answer, Failed):
                skipped[f"{name}: {answer.message}"] += 1
                return
            found.append(observed(name=name, request=body, answer=answer.raw))
        except (Unusable, NotARequest, NotAResponse) as error:
            skipped[f"{name}: {error}"] += 1

    async with line.open():
        await asyncio.gather(*[one(file) for file in files])
    found.sort(key=lambda observation: observation.name)
    return Gathered(observations=tuple(found), used=len(found), skipped=dict(skipped))
