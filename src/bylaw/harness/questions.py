"""What checks need to know of the world: asked once per trial, answered by whoever can see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from bylaw.evidence import Evidence, Need, Seen
from bylaw.harness.borders import Broke, border, check_error
from bylaw.plan import Check, Surroundings, Trial, Unseen
from bylaw.verdict import Finding

Answerer = Callable[[Need], Awaitable[Any]]


def as_answer(evidence: Evidence) -> dict[str, str | None]:
    """What a later trial may know of an earlier one."""
    return {"output": evidence.output, "failure": evidence.failure, "error": evidence.error}


class Inquiry:
    """The questions of one trial's checks. `broken` holds a finding for each check that could not even ask."""

    def __init__(
        self,
        trial: Trial,
        checks: Sequence[Check],
        *,
        answerers: Mapping[str, Answerer],
        earlier: Mapping[str, Any],
    ) -> None:
        self.broken: dict[int, Finding] = {}
        self._trial = trial
        self._checks = checks
        self._answerers = answerers
        self._earlier = earlier
        self._seen: dict[str, Seen] = {}
        self._later: list[Need] = []

    async def before(self, surroundings: Surroundings | None) -> None:
        for need in self._wanted(None):
            if need.at == "before":
                await self._ask(need, surroundings)
            else:
                self._later.append(need)

    async def after(self, evidence: Evidence, surroundings: Surroundings | None) -> Evidence:
        """The evidence with every answer in it; what a recording brought along is not asked again."""
        self._seen.update(evidence.seen)
        if evidence.error is None:
            for need in (*self._later, *self._wanted(evidence)):
                if need.at == "after":
                    await self._ask(need, surroundings)
        return msgspec.structs.replace(evidence, seen=self._seen) if self._seen else evidence

    def _wanted(self, evidence: Evidence | None) -> list[Need]:
        wanted: list[Need] = []
        for check in self._checks:
            try:
                wanted.extend(check.needs(evidence))
            except Exception as problem:  # noqa: BLE001 - a check's border: becomes its finding, others still ask
                self.broken[id(check)] = check_error(check, problem)
        return wanted

    async def _ask(self, need: Need, surroundings: Surroundings | None) -> None:
        key = need.key
        if key in self._seen:
            return
        try:
            with border("could not be answered"):
                self._seen[key] = await self._answered(need, surroundings)
        except Broke as problem:
            self._seen[key] = Seen(need=need, unseen=str(problem))

    async def _answered(self, need: Need, surroundings: Surroundings | None) -> Seen:
        try:
            if need.kind in self._answerers:
                return Seen(need=need, value=await self._answerers[need.kind](need))
            if need.kind == "trial":
                return Seen(need=need, value=self._recall(need["id"]))
            if surroundings is not None:
                return Seen(need=need, value=await surroundings.answer(need))
        except Unseen as problem:
            return Seen(need=need, unseen=str(problem))
        return Seen(need=need, unseen=f"needs a sandbox: nothing around this trial can answer `{need.kind}`")

    def _recall(self, name: str) -> Any:
        if name not in self._trial.after:
            raise Unseen(f"trial `{self._trial.id}` does not wait for `{name}`, so its result is not known here")
        return self._earlier[name]
