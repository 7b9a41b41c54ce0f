"""`bylaw guard check`: what a bundle says of one call, and why."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from bylaw.cli.guarding.files import FILE, bundles_of
from bylaw.errors import Misuse
from bylaw.evidence import Answer, ToolCall
from bylaw.guard.explaining import Branch, Explained, Explanation, explain
from bylaw.language.principals import wrong_field
from bylaw.language.selectors import PRINCIPAL_FIELDS
from bylaw.report.exit import ExitCode
from bylaw.report.safe_text import safe_line

SCHEMA = 1
MOST_SHOWN = 20
_WIDTH = 100
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _principal_options(function: _Function) -> _Function:
    for field in reversed(PRINCIPAL_FIELDS):
        option = click.option(f"--principal-{field.replace('_', '-')}", metavar="TEXT", help=f"`principal.{field}`.")
        function = option(function)
    return function


@click.command(name="check")
@click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=FILE)
@click.option("--tool", required=True, metavar="NAME", help="The tool that is called.")
@click.option("--args", "args_json", default="{}", metavar="JSON", help="Its arguments, as a JSON object.")
@click.option("--principal", "principal_json", metavar="JSON", help="Who asks, as a JSON object; claims go here.")
@_principal_options
@click.option("--environment", default="production", show_default=True)
@click.option("--output", metavar="TEXT", help="What the tool answers, for contracts on the answer.")
@click.option(
    "--verbose", "-v", is_flag=True, help=f"Show contracts that pass, too, where there are over {MOST_SHOWN}."
)
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as JSON on stdout.")
def command(
    paths: tuple[Path, ...],
    *,
    tool: str,
    args_json: str,
    principal_json: str | None,
    environment: str,
    output: str | None,
    verbose: bool,
    as_json: bool,
    **principal: str | None,
) -> None:
    """Say whether the bundles FILES allow a call, by which contract, and what every condition saw.

    Values are shown as an audit would record them. Exits with 0 when the call is allowed, with 1 when it is denied,
    with 2 when the question makes no sense.
    """
    call = ToolCall(
        tool=tool,
        args=_object(args_json, "--args"),
        environment=environment,
        principal=_principal(principal_json, principal),
        answer=None if output is None else Answer(text=output),
    )
    bundles = bundles_of(paths)
    found = explain(bundles.policy, call)
    if as_json:
        replaced = {"composition": bundles.composition} if bundles.composition else {}
        document = {"schema": SCHEMA, "tool": tool, **msgspec.to_builtins(found), **replaced}
        click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    else:
        _show(found, verbose=verbose)
        for replaced_by in bundles.composition:
            click.echo(_line(f"composed: {replaced_by}"))
    sys.exit(ExitCode.held if found.decision == "allowed" else ExitCode.broken)


def _object(text: str, option: str) -> dict[str, Any]:
    """Of a key that stands twice an agent may mean either, so there is no one answer."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = Counter(name for name, _ in pairs)
        if len(names) < len(pairs):
            raise Misuse(f"`{option}` has the key `{names.most_common(1)[0][0]}` twice")
        return dict(pairs)

    try:
        found = msgspec.json.decode(text, type=dict[str, Any])
        json.loads(text, object_pairs_hook=once)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise Misuse(f"`{option}` is not a JSON object: {error}") from error
    return found


def _principal(given: str | None, fields: dict[str, str | None]) -> dict[str, Any] | None:
    named = {name.removeprefix("principal_"): value for name, value in fields.items() if value is not None}
    if given is None:
        return named or None
    principal = _object(given, "--principal")
    for name, value in principal.items():
        if wrong := wrong_field(name, value):
            raise Misuse(f"`--principal` can't say who asks: {wrong}")
    if twice := sorted(principal.keys() & named.keys()):
        raise Misuse(f"`{twice[0]}` is in `--principal` and has an option of its own as well")
    return principal | named


def _show(found: Explanation, *, verbose: bool) -> None:
    click.echo(_line(_decision(found)))
    for name in found.would_deny:
        click.echo(_line(f"`{name}` only observes; it would deny"))
    for name in found.warnings:
        click.echo(_line(f"`{name}` warns of the answer"))
    shown = [each for each in found.contracts if each.fires or verbose or len(found.contracts) <= MOST_SHOWN]
    for contract in shown:
        _show_contract(contract)
    click.echo()
    if not found.contracts:
        click.echo("no contract is for this tool")
    if len(shown) < len(found.contracts):
        click.echo(f"{len(found.contracts) - len(shown)} contracts for this tool pass (--verbose shows them)")
    for left_out in found.unasked:
        click.echo(_line(f"not asked: {left_out}"))


def _decision(found: Explanation) -> str:
    if found.decision == "allowed":
        return "allowed"
    where = next((each.where for each in found.contracts if each.id == found.contract and each.where), "")
    return f"denied by `{found.contract}`{f' ({where})' if where else ''}: {found.reason}"


def _show_contract(contract: Explained) -> None:
    where = f" ({contract.where})" if contract.where else ""
    mode = "observed" if contract.observed else "enforced"
    click.echo()
    click.echo(_line(f"`{contract.id}`{where}, {contract.type}, {mode}: {'fires' if contract.fires else 'passes'}"))
    if contract.fires:
        click.echo(_line(f"  says: {contract.message}"))
    if contract.condition is not None:
        _show_branch(contract.condition, depth=0)


def _show_branch(branch: Branch, *, depth: int) -> None:
    said = f"  {branch.state:<11} {'  ' * depth}{safe_line(branch.says, cells=_WIDTH)}"
    if branch.why:
        said += f"  ({safe_line(branch.why, cells=_WIDTH)})"
    elif branch.saw is not None:
        said += f"  saw {safe_line(msgspec.json.encode(branch.saw).decode(), cells=_WIDTH)}"
    click.echo(said)
    for part in branch.parts:
        _show_branch(part, depth=depth + 1)


def _line(text: str) -> str:
    return safe_line(text, cells=4 * _WIDTH)
