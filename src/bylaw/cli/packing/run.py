"""`bylaw pack run`: a pack judged on its recordings, or on what a provider answers now."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from bylaw.cli.judging import Reports, judge
from bylaw.cli.output import stderr, stdout
from bylaw.cli.packing.settings import Wanted, answers_of, settled, whose
from bylaw.cli.packing.traced import refuse_beside_traces, trace_flags, traced_pack
from bylaw.cli.screen import show_diagnostics
from bylaw.errors import Misuse
from bylaw.formats.packs.documents import RECORDED
from bylaw.formats.packs.loading import LoadedPack, load_pack
from bylaw.formats.packs.planning import How
from bylaw.journal import read_journal
from bylaw.report.exit import ExitCode

if TYPE_CHECKING:
    from bylaw.formats.packs.outcomes import CaseOutcome

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(name="run")
@whose
@trace_flags
@click.option("--only-contracts", multiple=True, metavar="NAME", help="Only these; several by commas.")
@click.option("--max-contracts", type=click.IntRange(min=1), metavar="N", help="The first N at most.")
@click.option(
    "--repeat", type=click.IntRange(min=1, max=1000), default=1, show_default=True, help="Ask each case N times."
)
@click.option(
    "--stale",
    type=click.Choice(["refuse", "evaluate"]),
    default="refuse",
    show_default=True,
    help="Judge recordings of requests that have changed since.",
)
@click.option(
    "--capture-recordings", "capture", is_flag=True, help="Keep live answers as recordings, without secrets."
)
@click.option("--shadow-capture", is_flag=True, help="Ask a second model the same, and show both side by side.")
@click.option("--shadow-provider", metavar="NAME")
@click.option("--shadow-model", metavar="NAME")
@click.option("--shadow-base-url", metavar="URL")
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), default=4, show_default=True, help="How many answers at once."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides every random choice of the run.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Write a JUnit report.")
@click.option("--journal", type=_FILE, metavar="FILE", help="Keep the journal of the run.")
@click.option("--verbose", "-v", is_flag=True, help="Show what passed in full, and every fingerprint.")
def command(path: Path | None, pack: Path | None, **flags: Any) -> None:
    """Judge a pack's contracts on its recordings or, with --provider, on live answers.

    Keys come from the environment only.
    """
    shadow = {name.removeprefix("shadow_"): flags.pop(name) for name in list(flags) if name.startswith("shadow_")}
    selection = _Selection(
        only=tuple(part for given in flags.pop("only_contracts") for part in given.split(",") if part),
        most=flags.pop("max_contracts"),
        repeat=flags.pop("repeat"),
        seed=flags.pop("seed"),
        jobs=flags.pop("jobs"),
    )
    reports = Reports(**{name: flags.pop(name) for name in ("as_json", "junit", "journal", "verbose")})
    traces, applies = flags.pop("traces"), flags.pop("applies")
    if traces:
        refuse_beside_traces(flags, repeat=selection.repeat)
    root, wanted = settled(path, pack, **flags)
    if wanted.provider == RECORDED and selection.repeat > 1 and not traces:
        raise Misuse("`--repeat` asks somebody live, and a recording is always the same: name a `--provider`")
    second = _second(wanted, **shadow)
    if traces:
        if second is not None:
            raise Misuse("`--shadow-capture` can't stand beside `--traces`: nobody is asked")
        loaded = traced_pack(root, traces, applies, only=selection.only, most=selection.most, seed=selection.seed)
    else:
        loaded = _loaded(root, wanted, selection)
    beside = None if second is None else _loaded(root, second, msgspec.structs.replace(selection, repeat=1))
    _make_sure_of(loaded)
    found: list[CaseOutcome] = []

    def also(journal: Path) -> None:
        found.extend(_outcomes(journal))
        _show(found, reports, selection)

    wants_more = second is not None or reports.verbose or selection.repeat > 1
    code = judge(
        loaded.plan,
        files=loaded.files,
        reports=reports,
        jobs=selection.jobs,
        seed=selection.seed,
        also=also if wants_more else None,
    )
    if second is not None and beside is not None:
        other = _asked_beside(beside, selection)
        names = _name(wanted), _name(second)
        _show_both(found, other, names, reports)
    sys.exit(code)


class _Selection(msgspec.Struct, frozen=True, kw_only=True):
    only: tuple[str, ...]
    most: int | None
    repeat: int
    seed: int
    jobs: int


def _second(
    wanted: Wanted, *, capture: bool, provider: str | None, model: str | None, base_url: str | None
) -> Wanted | None:
    if not capture:
        if provider or model or base_url:
            raise Misuse("a second model is asked with `--shadow-capture`")
        return None
    if provider is None:
        raise Misuse("`--shadow-capture` needs a `--shadow-provider`")
    return msgspec.structs.replace(
        wanted, provider=provider, model=model, base_url=base_url, capture=False, shared_key=False
    )


def _loaded(root: Path, wanted: Wanted, selection: _Selection) -> LoadedPack:
    how = How(answers=answers_of(wanted), repeat=selection.repeat)
    return load_pack(root, how, only=selection.only, most=selection.most, seed=selection.seed)


def _make_sure_of(loaded: LoadedPack) -> None:
    show_diagnostics(loaded.diagnostics)
    if not loaded.valid:
        sys.exit(ExitCode.invalid)
    if loaded.left_out:
        stderr().print(f"contracts that were not asked for: {loaded.left_out}")


def _show(found: list[CaseOutcome], reports: Reports, selection: _Selection) -> None:
    if reports.as_json:
        return
    from bylaw.cli.packing.showing import show_fingerprints, show_rates  # a plain run shows neither

    if selection.repeat > 1:
        show_rates(found, stdout())
    if reports.verbose:
        show_fingerprints(found, stdout())


def _asked_beside(loaded: LoadedPack, selection: _Selection) -> list[CaseOutcome]:
    """Advisory: whatever comes of it, the exit code stays that of the first."""
    from bylaw.cli.packing.unreported import run_for_outcomes  # most runs ask nobody else

    return run_for_outcomes(loaded, jobs=selection.jobs, seed=selection.seed)


def _outcomes(journal: Path) -> list[CaseOutcome]:
    from bylaw.formats.packs.outcomes import outcomes  # a plain run shows none of them

    return outcomes(read_journal(journal))


def _show_both(own: list[CaseOutcome], other: list[CaseOutcome], names: tuple[str, str], reports: Reports) -> None:
    from bylaw.cli.packing.showing import show_shadow

    show_shadow(own, other, names, stderr() if reports.as_json else stdout())


def _name(who: Wanted) -> str:
    return " ".join(filter(None, (who.provider, who.model)))
