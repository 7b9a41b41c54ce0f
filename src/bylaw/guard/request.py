"""A call as it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Request(msgspec.Struct, frozen=True, kw_only=True):
    tool: str
    args: Mapping[str, Any]
    session_id: str
    environment: str
    principal: Mapping[str, Any] | None = None
    call_id: str = ""
    call_index: int = 0
    parent_call_id: str | None = None
    metadata: Mapping[str, Any] = {}
