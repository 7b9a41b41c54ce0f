"""A model asked live: a trial is one request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from bylaw.evidence import Evidence, ModelCall, ModelFailure
from bylaw.models.asking import Answered, Failed, Timing, seeded
from bylaw.models.line import Line
from bylaw.models.patience import Patience
from bylaw.models.recording import redacted
from bylaw.plan import Cost, Instance, Surroundings, Trial
from bylaw.wire import NotARequest, read_request, tool_calls

Capture = Callable[[dict[str, Any]], None]
"""Keeps an answer in the provider's own shape, free of secrets."""


class ModelSubject(msgspec.Struct, frozen=True, kw_only=True):
    """Asks one request. The line is shared by all subjects of one model and bounds how many ask at once.

    `request` is in any provider's shape, and is what the evidence shows. Retries are no part of the cost: most of
    them follow upon calls that came to nothing.
    """

    line: Line
    request: Mapping[str, Any]
    patience: Patience = Patience()
    capture: Capture | None = None
    timing: Timing | None = None

    @property
    def slots(self) -> int | None:
        return self.line.model.slots

    @property
    def cost(self) -> Cost:
        return Cost(model_calls=1)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Instance]:
        async with self.line.open():
            yield self

    async def run(self, trial: Trial, _: Surroundings | None, /) -> Evidence:
        result = await self._asked(trial)
        if isinstance(result, Failed):
            failure = ModelFailure(kind=result.kind, message=result.message)
            call = ModelCall(request=self.request, failure=failure)
            return Evidence(events=(call,), failure=result.message, ms=result.ms)
        if self.capture is not None:
            self.capture(redacted(result.raw, hide=self.line.hide))
        response = result.response
        call = ModelCall(request=self.request, response=msgspec.to_builtins(response))
        return Evidence(events=(call, *tool_calls(response)), output=response.content, ms=result.ms)

    async def _asked(self, trial: Trial) -> Answered | Failed:
        try:
            request = read_request(dict(self.request))
        except NotARequest as error:
            return Failed(kind="bad_request", message=f"bad_request: {error}", ms=0.0, attempts=0)
        timing = self.timing or seeded(f"{trial.seed} {trial.id}")
        return await self.line.ask(request, patience=self.patience, timing=timing)
