from __future__ import annotations

import pytest

from bylaw.evidence import Evidence

from .judging import demand, judged


@pytest.mark.parametrize(
    ("ms", "outcome", "code", "reason"),
    [
        (99.4, "passed", "", "took 99 ms"),
        (100.0, "passed", "", "took 100 ms"),
        (100.1, "failed", "too_slow", "took 100 ms; at most 100 ms are allowed"),
        (1500.0, "failed", "too_slow", "took 1500 ms; at most 100 ms are allowed"),
    ],
)
def test_latency(ms: float, outcome: str, code: str, reason: str) -> None:
    found = judged(demand("latency", "{max_ms: 100}"), Evidence(ms=ms))
    assert (found.outcome, found.code, found.reason) == (outcome, code, reason)


@pytest.mark.parametrize(
    ("failure", "outcome", "code"), [(None, "passed", ""), ("exit code 1", "failed", "not_completed")]
)
@pytest.mark.parametrize("output", [None, "", "text"])
def test_completes(failure: str | None, outcome: str, code: str, output: str | None) -> None:
    found = judged(demand("completes"), Evidence(failure=failure, output=output))
    assert (found.outcome, found.code) == (outcome, code)
    assert (failure or "without an error") in found.reason


def test_an_agent_that_must_not_complete() -> None:
    assert judged(demand("completes"), Evidence(failure="refused"), negate=True).outcome == "passed"
    assert judged(demand("completes"), Evidence(), negate=True).reason == "the agent ended without an error"
