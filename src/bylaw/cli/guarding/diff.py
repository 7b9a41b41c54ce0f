"""`bylaw guard diff`: two bundles, contract by contract."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
import msgspec

from bylaw.cli.guarding.files import FILE, contracts_of
from bylaw.formats.bundles.differences import ContractChange, Differences, FieldChange, compare_bundles
from bylaw.report.safe_text import safe_line

SCHEMA = 1
_ORDER = ("loosened", "tightened", "changed")
_WIDTH = 100
_MOST_PARTS = 20


@click.command(name="diff")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON on stdout.")
def command(old: Path, new: Path, as_json: bool) -> None:
    """Say what differs between OLD and NEW, by contract id, and whether it lets more through or less.

    A direction is named only where the files alone show it; `bylaw guard impact` asks recorded calls. Exits with 0
    whether anything differs or not, with 2 when a file is not valid.
    """
    found = compare_bundles(*contracts_of(old, new))
    if as_json:
        document = {"schema": SCHEMA, "old": str(old), "new": str(new), **msgspec.to_builtins(found)}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    else:
        _show(found)


def _show(found: Differences) -> None:
    for change in sorted(found.contracts, key=lambda change: _ORDER.index(change.direction)):
        click.echo(f"{change.direction:<9}  `{change.id}` {_said(change)}  ({change.where})")
        for field in change.fields:
            _show_field(field)
    for default in found.defaults:
        click.echo(f"{default.direction:<9}  `{default.field}`")
        _show_field(default)
    for name in found.moved:
        click.echo(f"changed    `{name}` stands at another place; the first contract that denies decides")
    click.echo(_summary(found))


def _said(change: ContractChange) -> str:
    if change.what != "changed":
        return ", ".join((f"is {change.what}", *(field.field for field in change.fields)))
    return f"is changed in {', '.join(field.field for field in change.fields)}"


def _show_field(change: FieldChange) -> None:
    for sign, parts in (("-", change.gone), ("+", change.new)):
        for part in parts[:_MOST_PARTS]:
            click.echo(f"             {sign} {safe_line(part, cells=_WIDTH)}")
        if len(parts) > _MOST_PARTS:
            click.echo(f"             {sign} and {len(parts) - _MOST_PARTS} more")
    if not (change.gone or change.new):
        click.echo(f"               the {change.field} is the same in another order")


def _summary(found: Differences) -> str:
    if found.none:
        return f"no difference in {found.same} contract{'s' * (found.same != 1)}"
    counts = Counter[str](change.direction for change in found.contracts)
    counts.update(change.direction for change in found.defaults if change.direction is not None)
    said = ", ".join(f"{counts[word]} {word}" for word in _ORDER if counts[word]) or "nothing but the order"
    return f"{said}; {found.same} contract{'s' * (found.same != 1)} the same"
