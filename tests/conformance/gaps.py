"""Where a road does not yet go: listed by note in `conformance/gaps.yaml`, each with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
import pytest

from .cases import GAPS, Case, Strict, data_in

ROADS = frozenset({"engine", "cli", "load", "validate", "chaos", "spec", "pack", "decide", "examples", "operator"})


class Gap(Strict, frozen=True, kw_only=True):
    road: str
    notes: list[str]
    reason: str


@cache
def gaps() -> tuple[Gap, ...]:
    return tuple(msgspec.convert(data_in(GAPS), list[Gap]))


def gap(case: Case, road: str) -> str:
    return next((found.reason for found in gaps() if found.road == road and case.note in found.notes), "")


def along(road: str, cases: Iterable[Case], *before: str) -> list[Any]:
    """The cases as parameters of a test. One with a gap must fail: a gap that was closed leaves the list."""
    found = []
    for case in cases:
        reason = gap(case, road)
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        found.append(pytest.param(*before, case, id=": ".join((*before, case.note)), marks=marks))
    return found
