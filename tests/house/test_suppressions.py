"""Whoever silences a warning says which, and why."""

from __future__ import annotations

import pytest

from .suppressions import suppressions
from .tree import modules


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "# noqa (it is fine)",
        "# noqa: S603",
        "# noqa: S603, S607 --",
        "# type: ignore",
        "# type: ignore  # it is fine",
        "# type: ignore[arg-type]",
        "# type: ignore[arg-type]  # noqa: S603 (the reason of the other)",
    ],
)
def test_a_bare_suppression_is_seen(comment: str) -> None:
    assert any(not codes or not reason for codes, reason in suppressions(comment))


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: S603 (the harness starts programs)",
        "# noqa: S603, S607 the harness starts programs",
        "# noqa: BLE001 - a border",
        "# type: ignore[arg-type]  # one of the words above",
        "# what noqa means is said elsewhere",
    ],
)
def test_a_suppression_with_a_reason_is_fine(comment: str) -> None:
    assert all(codes and reason for codes, reason in suppressions(comment))


def test_every_suppression_has_a_code_and_a_reason() -> None:
    found = [
        (module.at(line), codes, reason)
        for module in modules("src", "tests", "benchmarks", "examples")
        for line, comment in module.comments.items()
        for codes, reason in suppressions(comment)
    ]
    assert len(found) >= 20
    wrong = [place for place, codes, reason in found if not codes or not reason]
    assert not wrong, "\n".join(wrong)
