"""A check in a scenario with faults: a verdict on an agent that never saw them is worthless, and must not look like
a pass."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bylaw.evidence import Evidence, Need
from bylaw.plan import Check
from bylaw.verdict import Finding, Item, Outcome


class UnderFault(msgspec.Struct, frozen=True, kw_only=True):
    """`faults` are those of the scenario; `active` are the ones that the item speaks of, none if it does not care."""

    check: Check
    faults: tuple[str, ...]
    active: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def item(self) -> Item:
        return self.check.item

    def needs(self, evidence: Evidence | None, /) -> Iterable[Need]:
        return self.check.needs(evidence)

    def judge(self, evidence: Evidence, /) -> Finding:
        shut_out = [fault for fault in self.faults if fault in evidence.closed]
        if shut_out:
            reason = f"{_named(shut_out)} could not stand between the agent and what it calls"
            if self.remedy:
                reason += f": {self.remedy}"
            return Finding(item=self.item, outcome=Outcome.error, score=0.0, code="fault_cannot_reach", reason=reason)
        if self.active and not any(fault in evidence.reached for fault in self.active):
            return Finding(
                item=self.item,
                outcome=Outcome.not_exercised,
                score=0.0,
                code="fault_not_reached",
                reason=f"no call went past {_named(self.active)}, so this was never put to the test",
            )
        found = self.check.judge(evidence)
        return msgspec.structs.replace(found, details={**found.details, "faults": self._marks(evidence)})

    def _marks(self, evidence: Evidence) -> dict[str, str]:
        return {
            fault: "fired" if fault in evidence.fired else "not fired" if fault in evidence.reached else "not reached"
            for fault in self.faults
        }


def _named(faults: Iterable[str]) -> str:
    return ", ".join(f"`{fault}`" for fault in faults)
