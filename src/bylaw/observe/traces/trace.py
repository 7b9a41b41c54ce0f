"""One trace: what a model was asked and answered, and which tools ran."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from bylaw.evidence import Answer, Event, Evidence, ModelCall, ModelFailure
from bylaw.wire import CODECS, CallAsked, Request, Response, tool_calls

NO_ARGUMENTS = "an execution of a tool without its arguments"
NO_NAME = "an execution of a tool that does not say of which"

_NORMAL = CODECS["normal"]


class Unusable(Exception):
    """Something in a trace that nothing can be said of; the message says why, alike for all that are alike."""


class ModelStep(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a model. Without a `response` either `failure` says what was raised, or the content is unknown."""

    id: str
    request: Request = Request()
    response: Response | None = None
    failure: ModelFailure | None = None

    @property
    def asked(self) -> dict[str, Any]:
        """The request in normal form, as a golden file has it."""
        return _NORMAL.request(self.request)

    @property
    def event(self) -> ModelCall:
        response = None if self.response is None else msgspec.to_builtins(self.response)
        return ModelCall(request=self.asked, response=response, failure=self.failure)

    @property
    def evidence(self) -> Evidence:
        """This answer alone, as a contract on answers is judged on it."""
        calls = () if self.response is None else tool_calls(self.response)
        output = None if self.response is None else self.response.content
        return Evidence(events=(self.event, *calls), output=output)


class ToolStep(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of a tool. `arguments` is None where nobody captured them."""

    id: str
    tool: str
    call: str = ""
    arguments: Any = None
    answer: Answer | None = None


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """The steps in the order they began; `missing` says of each that could not be used why."""

    id: str
    steps: tuple[ModelStep | ToolStep, ...]
    missing: tuple[str, ...] = ()

    @property
    def answers(self) -> tuple[ModelStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, ModelStep) and step.response is not None)

    @property
    def evidence(self) -> Evidence:
        """Tool calls are those that ran; where the trace knows of none, those that the model asked for.

        Where something is missing this is no evidence of a whole run, and says so: nothing may pass for its absence.
        """
        ran = any(isinstance(step, ToolStep) for step in self.steps)
        events = tuple(event for step in self.steps for event in self._events(step, ran=ran))
        answers = self.answers
        output = answers[-1].response.content if answers and answers[-1].response is not None else None
        if self.gaps:
            return Evidence(events=events, output=output, error="; ".join(self.gaps), error_code="not_captured")
        return Evidence(events=events, output=output)

    @property
    def gaps(self) -> tuple[str, ...]:
        """Every reason, once, for which something of the run is not known."""
        unknown = [step for step in self.steps if isinstance(step, ToolStep) and step.arguments is None]
        return tuple(dict.fromkeys([*self.missing, *(NO_ARGUMENTS for _ in unknown)]))

    def _events(self, step: ModelStep | ToolStep, *, ran: bool) -> Iterator[Event]:
        if isinstance(step, ModelStep):
            yield step.event
            if not ran and step.response is not None:
                yield from tool_calls(step.response)
            return
        if step.arguments is not None:
            call = CallAsked(name=step.tool, arguments=step.arguments, id=step.call)
            (made,) = tool_calls(Response(tool_calls=(call,)))
            yield msgspec.structs.replace(made, answer=step.answer)
