"""Observations from the answers in traces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bylaw.observe.gathered import Gathered
from bylaw.observe.observation import observed
from bylaw.observe.traces.reading import read_traces
from bylaw.wire import Response

_WITHOUT_CALLS = "answer"


def from_traces(files: Sequence[Path]) -> Gathered:
    """Each answer of a model is an observation, named for the tools it calls; one that calls none is an `answer`."""
    read = read_traces(files)
    found = tuple(
        observed(name=_name(step.response), request=step.request, answer=step.response)
        for _, step in read.answers
        if step.response is not None
    )
    return Gathered(observations=found, used=len(found), skipped=read.skipped)


def _name(response: Response) -> str:
    return "-".join(sorted({call.name for call in response.tool_calls if call.name})) or _WITHOUT_CALLS
