"""A contract as what it demands of an answer, whoever's answer that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from bylaw.checks import Demand
from bylaw.checks.failing import ALLOWED, OnAnswer
from bylaw.checks.json_data import JsonAssertions
from bylaw.errors import Span
from bylaw.formats.demands import read_demand
from bylaw.formats.format import Context
from bylaw.formats.packs.documents import NOT_JUDGED, SEVERAL_TOOLS, ContractFile, GoldenCase
from bylaw.reader import Bad, Items, ListNode, MapNode, Problems, Source
from bylaw.reader.documents import read_record
from bylaw.scoring import Accepted, AllHold

WORDS = ("Pass", "Fail", "NonReproducible")
FOLD = AllHold(words=WORDS)
_WITH_ALLOWED = Accepted(fold=FOLD, codes=(ALLOWED,))
Applies = Literal["always", "offered", "called"]
"""To which answers a contract speaks: to all, to those whose request offers its tools or that call one, or to the
latter alone."""


class ContractAlone(ContractFile, frozen=True, kw_only=True):
    """A contract that is judged on answers from elsewhere, and needs no cases of its own."""

    golden_cases: Annotated[tuple[GoldenCase, ...], Items(unique="id"), "cases it is judged on as well"] = ()


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """One demand of a contract by its name, and the line it comes from."""

    name: str
    where: Span
    demand: OnAnswer

    @property
    def about_request(self) -> bool:
        """Whether it looks at what was asked, which not everybody who has an answer knows."""
        inner = self.demand.demand
        return isinstance(inner, JsonAssertions) and inner.source == "request"


def fold_of(contract: ContractFile) -> Accepted | AllHold:
    """What an answer comes to that was given elsewhere: a failure that the contract allows is none of its own."""
    return _WITH_ALLOWED if contract.allowed else FOLD


def read_contract(
    source: Source, problems: Problems, document: type[ContractFile] = ContractFile
) -> ContractFile | None:
    """With keys of the format's newer uses passed over, which is said."""
    found = read_record(document, source.root, problems, beside=frozenset(NOT_JUDGED))
    if isinstance(source.root, MapNode):
        for key, entry in source.root.entries.items():
            if key in NOT_JUDGED:
                problems.add(
                    "not-judged", f"`{key}` is not judged here", entry.where, hint=NOT_JUDGED[key], level="warning"
                )
    return None if isinstance(found, Bad) else found


def more_checks(source: Source, context: Context) -> list[tuple[str, Demand]] | None:
    """The checks listed under `checks`, or None where one of them is wrong."""
    listed = source.root.get("checks") if isinstance(source.root, MapNode) else None
    if listed is None:
        return []
    nodes = listed.items if isinstance(listed, ListNode) else []
    found = [read_demand(node, beside=None, file=source.path, context=context) for node in nodes]
    good = [demand for demand in found if not isinstance(demand, Bad)]
    if len(good) < len(found):
        return None
    named = [(f"check {number}", demand) for number, demand in enumerate(good, 1)]
    for _, demand in named:
        if demand.world:
            context.problems.add("needs-sandbox", "a model's answer has no end state to look at", demand.at.span)
    return named


def expectations(contract: ContractFile, more: Iterable[tuple[str, Demand]]) -> tuple[Expectation, ...]:
    return tuple(
        Expectation(
            name=name,
            where=contract.line_of(name, demand),
            demand=OnAnswer(demand=demand, allowed=contract.allowed, at=demand.at),
        )
        for name, demand in (*contract.demands(), *more)
    )


def tools_of(contract: ContractFile) -> frozenset[str] | None:
    """The tools a contract speaks of; None where it speaks of every answer."""
    named = {*contract.expect_tools, *contract.forbid_tools, *(call.name for call in contract.expected_tool_calls)}
    if contract.tool != SEVERAL_TOOLS:
        named.add(contract.tool)
    return None if contract.only_tools is not None or not named else frozenset(named)
