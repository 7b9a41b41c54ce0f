"""On whose behalf a call is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Principal(msgspec.Struct, frozen=True):
    """Who asks. `as_mapping` is what rules see; fields that are not set are absent there."""

    user_id: str | None = None
    service_id: str | None = None
    org_id: str | None = None
    role: str | None = None
    ticket_ref: str | None = None
    claims: Mapping[str, Any] = {}

    def as_mapping(self) -> dict[str, Any]:
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}
