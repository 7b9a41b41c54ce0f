"""A pack judged on the answers in somebody's traces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from bylaw.cli.output import stderr
from bylaw.errors import Misuse
from bylaw.evidence import Evidence
from bylaw.formats.packs.contracts import Applies
from bylaw.formats.packs.loading import LoadedPack, load_contracts
from bylaw.formats.packs.traced import Traced, TracedAnswer
from bylaw.report.safe_text import visible

TRACES = click.Path(dir_okay=False, exists=True, path_type=Path)
Command = TypeVar("Command", bound=Callable[..., Any])


def trace_flags(command: Command) -> Command:
    """The flags that say which traces are judged, and on which of their answers a contract is."""
    for option in (
        click.option(
            "--applies",
            type=click.Choice(["offered", "called", "always"]),
            default="offered",
            show_default=True,
            help="On which answers in traces a contract is judged: where its tool was on offer or called, or on all.",
        ),
        click.option(
            "--traces",
            type=TRACES,
            multiple=True,
            metavar="FILE",
            help="Judge the answers in traces: OTLP, LangSmith.",
        ),
    ):
        command = option(command)
    return command


def refuse_beside_traces(flags: dict[str, Any], *, repeat: int) -> None:
    """Traces are what they are: nobody is asked, and nothing is recorded."""
    asked = {
        "--provider": flags.get("provider"),
        "--model": flags.get("model"),
        "--base-url": flags.get("base_url"),
        "--stream": flags.get("stream"),
        "--capture-recordings": flags.get("capture"),
        "--repeat": repeat > 1,
    }
    idle = [flag for flag, given in asked.items() if given]
    if idle:
        raise Misuse(f"{' and '.join(idle)} can't stand beside `--traces`: nobody is asked")


class _Unread(TracedAnswer, frozen=True, kw_only=True):
    """Answers that were passed over: what they call is unknown, so every contract might have a say."""

    def concerns(self, tools: frozenset[str] | None, applies: Applies) -> bool:
        return True


def traced_pack(
    root: Path, files: Sequence[Path], applies: Applies, *, only: Sequence[str], most: int | None, seed: int
) -> LoadedPack:
    from bylaw.observe.traces import read_traces  # a plain run needs none of it

    read = read_traces(files)
    for why, count in read.skipped.items():
        stderr().print(f"passed over {count}: {visible(why)}", markup=False, highlight=False, soft_wrap=True)
    answers = [
        TracedAnswer(
            name=name,
            evidence=step.evidence,
            asked=bool(step.request.messages),
            offered=frozenset(tool.name for tool in step.request.tools),
        )
        for name, step in read.answers
    ]
    unread = [
        _Unread(
            name=f"passed over: {why}",
            evidence=Evidence(error=f"passed over {count}: {why}", error_code="not_captured"),
        )
        for why, count in read.unread.items()
    ]
    stderr().print(f"answers in the traces: {len(answers)}", highlight=False)
    return load_contracts(
        root, Traced(answers=[*answers, *unread], applies=applies).plan, only=only, most=most, seed=seed
    )
