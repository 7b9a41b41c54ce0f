"""Bundles to policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bylaw.errors import Span
from bylaw.formats.bundles.composing import Composed, Placed, compose
from bylaw.formats.bundles.documents import Bundle, Contract, Mode, Post, Pre, Session
from bylaw.formats.bundles.lint import lint
from bylaw.formats.bundles.tools import check_tools
from bylaw.formats.format import Context
from bylaw.language.expressions import compile_expression
from bylaw.language.templates import compile_template
from bylaw.policy import Limit, Policy, Rule, make_limit, make_policy, make_rule
from bylaw.policy.rules import ATTEMPTS, CALLS, calls_of
from bylaw.reader import Problems, Source, read
from bylaw.verdict import Item

UNMATCHED = "unmatched"


def read_bundle(source: Source, problems: Problems, *, advise: bool = True) -> Bundle | None:
    """The bundle, with everything wrong with it said, and what is likely wrong where advice is wanted."""
    bundle = read(Bundle, source.root, problems)
    if bundle is not None:
        check_tools(bundle, problems)
        if advise:
            lint(bundle, problems)
    return bundle


def read_policy(source: Source, problems: Problems) -> Policy | None:
    before = len(problems.errors)
    bundle = read_bundle(source, problems)
    if bundle is None or len(problems.errors) > before:
        return None
    return compile_bundle(compose([bundle]), version=source.sha256)


def load_policy(path: Path, where: Span, context: Context) -> Policy | None:
    """The policy of a bundle that another file names."""
    if not path.is_file():
        context.problems.add("no-such-file", f"there is no bundle at `{path}`", where)
        return None
    source = context.source(path)
    return None if source is None else read_policy(source, context.problems)


def compile_bundle(composed: Composed, *, version: str, mode: Mode | None = None) -> Policy:
    """The policy; contracts that are not enabled are left out, and a mode given here beats every contract's own."""
    enabled = [_in_mode(placed, mode) for placed in composed.contracts if placed.contract.enabled]
    return make_policy(
        version=version,
        before=[rule_of(placed.contract, placed.mode) for placed in enabled if isinstance(placed.contract, Pre)],
        after=[rule_of(placed.contract, placed.mode) for placed in enabled if isinstance(placed.contract, Post)],
        limits=[
            limit
            for placed in enabled
            if isinstance(placed.contract, Session)
            for limit in _limits(placed.contract, placed.mode)
        ],
        unmatched=None if composed.unmatched is None else _refuse_unmatched(mode or composed.unmatched, enabled),
    )


def _in_mode(placed: Placed, mode: Mode | None) -> Placed:
    return placed if mode is None else Placed(contract=placed.contract, mode=mode)


def item_of(contract: Contract, mode: Mode, *, kind: str) -> Item:
    data: dict[str, Any] = {"mode": mode}
    if contract.then.tags:
        data["tags"] = list(contract.then.tags)
    if contract.then.metadata:
        data["metadata"] = dict(contract.then.metadata)
    return Item(id=contract.id, kind=kind, where=contract.where("id"), binding=mode == "enforce", data=data)


def rule_of(contract: Pre | Post, mode: Mode) -> Rule:
    return make_rule(
        item=item_of(contract, mode, kind=contract.type),
        tools=contract.patterns,
        condition=compile_expression(contract.when),
        when=contract.when,
        message=compile_template(contract.then.message),
        action=contract.then.effect,
        output=contract.then.output or "",
    )


def _limits(contract: Session, mode: Mode) -> Iterator[Limit]:
    item = item_of(contract, mode, kind="session")
    message = compile_template(contract.then.message)
    bounds = {
        ATTEMPTS: contract.limits.max_attempts,
        CALLS: contract.limits.max_tool_calls,
        **{calls_of(tool): most for tool, most in contract.limits.max_calls_per_tool.items()},
    }
    for counter, most in bounds.items():
        if most is not None:
            yield make_limit(item=item, counter=counter, most=most, message=message)


def _refuse_unmatched(mode: Mode, contracts: Sequence[Placed]) -> Rule:
    """A tool with a limit of its own is named, too, though no condition is on it."""
    sessions = [placed.contract for placed in contracts if isinstance(placed.contract, Session)]
    limited = frozenset(tool for session in sessions for tool in session.limits.max_calls_per_tool)
    return make_rule(
        item=Item(id=UNMATCHED, kind="pre", binding=mode == "enforce", data={"mode": mode}),
        tools=("*",),
        condition=lambda call: call.tool not in limited,
        message=compile_template("no contract is for `{tool.name}`, and tools without one are refused here"),
        action="deny",
    )
