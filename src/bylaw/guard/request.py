"""A call as it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bylaw.guard.principal import Known, Resolver


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing of it was copied or looked at yet; `principal` may still have to be asked for."""

    tool: str
    args: Mapping[str, Any]
    session_id: str
    environment: str
    principal: Known | Resolver = None
    call_id: str = ""
    call_index: int = 0
    parent_call_id: str | None = None
    metadata: Mapping[str, Any] = {}
