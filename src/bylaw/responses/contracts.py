"""Contracts compiled once, and judged on answers as they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, get_args

import msgspec

from bylaw.checks import ItemCheck
from bylaw.errors import Diagnostic, InvalidFile, Misuse, Span
from bylaw.evidence import Evidence, ModelCall
from bylaw.formats.format import Context
from bylaw.formats.packs.contracts import (
    FOLD,
    Applies,
    ContractAlone,
    expectations,
    fold_of,
    more_checks,
    read_contract,
    tools_of,
)
from bylaw.formats.packs.loading import contract_files
from bylaw.harness.judging import judge
from bylaw.reader import Problems, Source
from bylaw.reader.problems import near
from bylaw.responses.answers import UNREADABLE, Asked, answer_evidence, unreadable
from bylaw.responses.validation import Judged, Validation
from bylaw.verdict import Finding, Fold, Item, Outcome, Verdict


class _Contract(msgspec.Struct, frozen=True, kw_only=True):
    """`on_request` are the positions of those checks that look at what was asked."""

    file: str
    tool: str
    tools: frozenset[str] | None
    draft: bool
    place: Span
    checks: tuple[ItemCheck, ...]
    fold: Fold
    on_request: frozenset[int]

    def judge(self, evidence: Evidence, asked: Asked) -> Judged:
        if self.on_request and asked.unknown:
            findings = tuple(
                [
                    _unasked(check.item, asked.unknown) if index in self.on_request else _judged(check, evidence)
                    for index, check in enumerate(self.checks)
                ]
            )
        else:
            findings = tuple([_judged(check, evidence) for check in self.checks])
        return self._told(self.fold(findings), findings)

    def passed_over(self, why: str) -> Judged:
        item = Item(id="contract", kind="contract", where=self.place)
        finding = Finding(item=item, outcome=Outcome.not_applicable, code="not_applicable", reason=why)
        return self._told(FOLD((finding,)), (finding,))

    def _told(self, verdict: Verdict, findings: tuple[Finding, ...]) -> Judged:
        return Judged(
            contract=self.file,
            tool=self.tool,
            draft=self.draft,
            verdict=verdict,
            findings=findings,
            place=self.place,
        )


def _judged(check: ItemCheck, evidence: Evidence) -> Finding:
    return judge(check, evidence, broken={})


def _unasked(item: Item, why: str) -> Finding:
    return Finding(item=item, outcome=Outcome.error, score=0.0, code="no_request", reason=why)


class Contracts:
    """Contracts on model answers. Nothing in here changes once it is loaded: threads may share it."""

    def __init__(self, contracts: Sequence[_Contract], warnings: Sequence[Diagnostic] = ()) -> None:
        self._contracts = tuple(contracts)
        self.warnings = tuple(warnings)

    @classmethod
    def load(cls, *paths: str | Path) -> Self:
        """Contract files and packs. Raises `InvalidFile` with everything that is wrong with any of them."""
        if not paths:
            raise Misuse("no contract is named")
        context = Context(problems=Problems())
        files = dict.fromkeys(file for path in paths for file in contract_files(Path(path), context))
        found = [_read(source, context) for file in files if (source := context.source(file)) is not None]
        if context.problems.errors:
            raise InvalidFile(dict.fromkeys(context.problems.errors))
        return cls([contract for contract in found if contract is not None], tuple(context.problems.all))

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(contract.file for contract in self._contracts)

    def about(self, *tools: str) -> Self:
        """Those contracts alone that speak of one of these tools. Raises `Misuse` where there is none for one."""
        for tool in tools:
            if not any(_speaks_of(contract, tool) for contract in self._contracts):
                raise Misuse(f"no contract speaks of the tool `{tool}`")
        chosen = [each for each in self._contracts if any(_speaks_of(each, tool) for tool in tools)]
        return type(self)(chosen, self.warnings)

    def validate(
        self, response: Any, *, request: Mapping[str, Any] | None = None, applies: Applies = "always"
    ) -> Validation:
        """`response` is any provider's object, data, text or list of chunks; see `bylaw.responses.validate`."""
        check_applies(applies)
        if applies == "offered" and request is None:
            raise Misuse("which tools were offered is in the request: give `request`")
        return self.judged(response, Asked.of(request), applies)

    @property
    def look_at_requests(self) -> bool:
        return any(contract.on_request for contract in self._contracts)

    def judged(self, response: Any, asked: Asked, applies: Applies) -> Validation:
        evidence = answer_evidence(response, asked)
        if applies == "always" or _unread(evidence):
            return self._all(evidence, asked)
        spoken_of = frozenset(call.tool for call in evidence.calls) | (asked.tools if applies == "offered" else _NONE)
        return Validation(contracts=tuple(_some(self._contracts, spoken_of, evidence, asked, applies)))

    def unread(self, why: str, asked: Asked) -> Validation:
        """Every contract on an answer that can't be read."""
        return self._all(unreadable(why, asked), asked)

    def _all(self, evidence: Evidence, asked: Asked) -> Validation:
        return Validation(contracts=tuple([each.judge(evidence, asked) for each in self._contracts]))


_NONE: frozenset[str] = frozenset()


def check_applies(applies: str) -> None:
    words = get_args(Applies)
    if applies not in words:
        said = f"`applies` is `always`, `called` or `offered`, not {applies!r}"
        raise Misuse("; ".join(filter(None, [said, near(str(applies), words)])))


def _unread(evidence: Evidence) -> bool:
    """Of an answer that can't be read nobody knows which tools it calls, so every contract has a say."""
    return any(
        isinstance(e, ModelCall) and e.failure is not None and e.failure.kind == UNREADABLE for e in evidence.events
    )


def _some(
    contracts: Iterable[_Contract], spoken_of: frozenset[str], evidence: Evidence, asked: Asked, applies: Applies
) -> Iterable[Judged]:
    why = "the answer calls none of its tools" + (", and none was offered" if applies == "offered" else "")
    for contract in contracts:
        if contract.tools is None or not contract.tools.isdisjoint(spoken_of):
            yield contract.judge(evidence, asked)
        else:
            yield contract.passed_over(why)


def _speaks_of(contract: _Contract, tool: str) -> bool:
    return contract.tools is not None and tool in contract.tools


def _read(source: Source, context: Context) -> _Contract | None:
    contract = read_contract(source, context.problems, ContractAlone)
    more = more_checks(source, context)
    if contract is None or more is None:
        return None
    found = expectations(contract, more)
    data = {} if contract.side_effect is None else {"side_effect": contract.side_effect}
    return _Contract(
        file=str(source.path),
        tool=contract.tool,
        tools=tools_of(contract),
        draft=contract.is_draft,
        place=contract.where("tool"),
        checks=tuple(
            ItemCheck(item=Item(id=each.name, kind="expectation", where=each.where, data=data), demand=each.demand)
            for each in found
        ),
        fold=fold_of(contract),
        on_request=frozenset(number for number, each in enumerate(found) if each.about_request),
    )
