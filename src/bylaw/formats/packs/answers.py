"""Where the answers come from that a contract is judged on."""

from __future__ import annotations

from typing import Protocol

import msgspec

from bylaw.agents.recorded import Recorded
from bylaw.formats.packs.documents import RECORDED, ContractFile, GoldenCase
from bylaw.formats.packs.recorded import recorded_case
from bylaw.formats.packs.roots import PackRoot
from bylaw.plan import Subject


class Answering(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers a case, and what there is to say about that."""

    subject: Subject
    notes: tuple[str, ...] = ()


class Answers(Protocol):
    """`provider` is the name by which cases say where they are judged."""

    @property
    def provider(self) -> str: ...

    def to(self, case: GoldenCase, contract: ContractFile, pack: PackRoot, /) -> Answering: ...


class FromRecordings(msgspec.Struct, frozen=True, kw_only=True):
    """Answers as they were recorded. With `judge_stale` also those to a request that has changed since."""

    judge_stale: bool = False

    provider = RECORDED

    def to(self, case: GoldenCase, contract: ContractFile, pack: PackRoot, /) -> Answering:
        found = recorded_case(pack, case.input_ref, judge_stale=self.judge_stale)
        return Answering(subject=Recorded(evidence=found.evidence), notes=found.notes)
