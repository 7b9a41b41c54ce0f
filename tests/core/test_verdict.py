from __future__ import annotations

import pytest

from .parts import finding


@pytest.mark.parametrize(
    ("outcome", "state", "low", "high", "applies"),
    [
        ("passed", "held", 0.6, 0.6, True),
        ("failed", "broken", 0.6, 0.6, True),
        ("error", "undecided", 0.0, 1.0, True),
        ("not_exercised", "undecided", 0.0, 1.0, True),
        ("not_applicable", "undecided", 0.0, 1.0, False),
    ],
)
def test_what_an_outcome_comes_to(outcome: str, state: str, low: float, high: float, applies: bool) -> None:
    one = finding(outcome, score=0.6)
    assert (one.state, one.low, one.high, one.applies) == (state, low, high, applies)
