"""Google's API writes its keys in camel case, its client library in snake case."""

from __future__ import annotations

from typing import Any


def either(raw: dict[str, Any], api: str, client: str) -> Any:
    found = raw.get(api)
    return raw.get(client) if found is None else found


def object_in(raw: dict[str, Any], api: str, client: str) -> dict[str, Any] | None:
    found = either(raw, api, client)
    return found if isinstance(found, dict) else None
