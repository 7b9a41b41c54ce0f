"""Every behaviour holds on both roads: blocking, and awaiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bylaw.guard.decision import Outcome
from bylaw.guard.guard import Guard

from .bundles import Call


def blocking(guard: Guard, tool: str, args: Mapping[str, Any], function: Callable[..., Any], **about: Any) -> Outcome:
    return guard.call_sync(tool, args, function, **about)


def awaiting(guard: Guard, tool: str, args: Mapping[str, Any], function: Callable[..., Any], **about: Any) -> Outcome:
    return asyncio.run(guard.call(tool, args, function, **about))


@pytest.fixture(params=[blocking, awaiting], ids=["blocking", "awaiting"])
def call(request: pytest.FixtureRequest) -> Call:
    road: Call = request.param
    return road
