"""What `bylaw pack` shows beside the reports of every run: fingerprints, pass rates, and two models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bylaw.formats.packs.outcomes import CaseOutcome, CaseTrial, wilson
from bylaw.report.safe_text import visible

LONGEST = 60


def show_rates(found: Sequence[CaseOutcome], console: Console) -> None:
    """How often each case held, with what that says of the true rate; the ones that differ are named."""
    table = Table(title="repeated", title_justify="left", box=None, pad_edge=False)
    for name in ("case", "held", "rate", "95 % between", ""):
        table.add_column(name, justify="left" if name in ("case", "") else "right")
    for case in found:
        if not case.trials:
            continue
        low, high = wilson(case.held, len(case.trials))
        table.add_row(
            _shown(case.case),
            f"{case.held} of {len(case.trials)}",
            f"{case.held / len(case.trials):.0%}",
            f"{low:.0%} and {high:.0%}",
            "flaky" if case.flaky else "",
        )
    console.print(table)
    console.print()


def show_fingerprints(found: Sequence[CaseOutcome], console: Console) -> None:
    for case in found:
        console.print(_shown(f"{case.fingerprint or '-' * 8}  {case.word}  {case.case}"), soft_wrap=True)


def show_shadow(
    own: Sequence[CaseOutcome], other: Sequence[CaseOutcome], names: tuple[str, str], console: Console
) -> None:
    """The same requests to two models. What the second says decides nothing."""
    by_case = {case.case: case for case in other}
    table = Table(title=_shown(f"{names[0]} beside {names[1]} (advisory)"), title_justify="left", show_lines=True)
    table.add_column("case", overflow="fold")
    for name in names:
        table.add_column(_shown(name))
    table.add_column("differs in", overflow="fold")
    for case in own:
        beside = by_case.get(case.case)
        if beside is not None:
            differs = _shown(*_differences(case, beside))
            short = case.case.rpartition("/contracts/")[2]  # four columns have no room for the way there
            table.add_row(_shown(short), _told(case), _told(beside), differs)
    console.print(table)


def _shown(*lines: str) -> Text:
    """What models and files say, as it is: nothing in it is a tag or a line of its own."""
    return Text("\n".join(map(visible, lines)))


def _told(case: CaseOutcome) -> Text:
    if not case.trials:
        return _shown(case.word)
    first = case.trials[0]
    calls = ", ".join(name for name, _ in first.calls) or "no call"
    tokens = "" if first.tokens is None else f", {first.tokens} tokens"
    return _shown(case.word, calls, f"{first.ms:.0f} ms{tokens}")


def _differences(case: CaseOutcome, beside: CaseOutcome) -> list[str]:
    if not case.trials or not beside.trials:
        return ["one of them gave no answer"] if case.trials or beside.trials else []
    one, two = case.trials[0], beside.trials[0]
    found = [] if case.word == beside.word else ["verdict"]
    if [name for name, _ in one.calls] != [name for name, _ in two.calls]:
        found.append("calls")
    else:
        found += _arguments(one, two)
    return found


def _arguments(one: CaseTrial, two: CaseTrial) -> list[str]:
    """The arguments that differ, and no others: a cell of a table is narrow."""
    found = []
    for (name, mine), (_, theirs) in zip(one.calls, two.calls, strict=True):
        own, other = msgspec.json.decode(mine), msgspec.json.decode(theirs)
        found += [
            f"{name} {key}: {_value(own, key)} / {_value(other, key)}"
            for key in dict.fromkeys((*own, *other))
            if key not in own or key not in other or own[key] != other[key]
        ]
    return found


def _value(arguments: Mapping[str, Any], key: str) -> str:
    if key not in arguments:
        return "missing"
    text = msgspec.json.encode(arguments[key]).decode()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
